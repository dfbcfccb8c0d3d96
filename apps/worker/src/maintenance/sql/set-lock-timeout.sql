-- Detaching waits for every open query on the ledger, and everybody else waits behind it: not for long.
SET LOCAL lock_timeout = '3s'
