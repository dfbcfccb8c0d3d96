-- $1 import, $2 why it failed; null: it is done.
WITH ended AS (
  UPDATE imports SET state = CASE WHEN $2::text IS NULL THEN 'done' ELSE 'failed' END, failure = $2, ended_at = now()
  WHERE id = $1 AND state NOT IN ('done', 'failed') RETURNING id
)
DELETE FROM import_parts USING ended WHERE import_id = ended.id
