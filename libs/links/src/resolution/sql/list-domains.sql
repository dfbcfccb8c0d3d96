SELECT authority, is_default, incarnation FROM domains CROSS JOIN ledger_incarnation
