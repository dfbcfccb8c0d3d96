-- Month partitions of the ledger, oldest first.
SELECT child.relname AS name
FROM pg_inherits
JOIN pg_class AS child ON child.oid = inhrelid
WHERE inhparent = 'visits'::regclass AND child.relname ~ '^visits_[0-9]{4}_[0-9]{2}$'
ORDER BY child.relname
