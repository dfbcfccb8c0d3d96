-- $1 time and $2 number of the last row that goes, $3 how many at most. Two at once take different ones.
DELETE FROM audit_log
WHERE (at, id) IN (
  SELECT at, id FROM audit_log WHERE (at, id) <= ($1::timestamptz, $2::bigint) ORDER BY at, id LIMIT $3 FOR UPDATE SKIP LOCKED
)
