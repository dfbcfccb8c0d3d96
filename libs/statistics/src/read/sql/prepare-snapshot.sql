-- Compiling a plan costs more than these statements take; a sort or hash of 100,000 ids fits in 32 MB.
SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true)
