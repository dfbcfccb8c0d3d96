-- $1 import, $2 why it failed; null: it is done. Reports are kept for 90 days; the counts for ever.
WITH ended AS (
  UPDATE imports SET state = CASE WHEN $2::text IS NULL THEN 'done' ELSE 'failed' END, failure = $2, ended_at = now()
  WHERE id = $1 AND state NOT IN ('done', 'failed') RETURNING id
), forgotten AS (
  DELETE FROM import_skips USING imports, ended
  WHERE import_skips.import_id = imports.id AND imports.ended_at < now() - interval '90 days'
)
DELETE FROM import_parts USING ended WHERE import_id = ended.id
