-- $1 rows from before, $2 how many. Two at once take different ones.
DELETE FROM audit_log
WHERE (at, id) IN (SELECT at, id FROM audit_log WHERE at < $1 ORDER BY at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
