-- A whole ledger is read here: no statement limit, and no compiling of plans that run once.
SELECT set_config('statement_timeout', '0', true), set_config('jit', 'off', true), set_config('work_mem', '64MB', true)
