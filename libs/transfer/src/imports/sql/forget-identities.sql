-- $1 import, $2 how many at most. A row: there may be more.
WITH gone AS (
  DELETE FROM import_identities
  WHERE import_id = $1 AND identity IN (SELECT identity FROM import_identities WHERE import_id = $1 LIMIT $2)
  RETURNING identity
)
SELECT FROM gone LIMIT 1
