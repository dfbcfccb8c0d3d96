-- $1 import, $2 rows that were done before, $3 rows that are now, $4 created, $5 existing, $6 skipped, $7 reasons with their
-- numbers, $8 what is told of the skipped: rows, reasons, details as JSON, $9 visits counted, $10 visits that were here.
WITH advanced AS (
  UPDATE imports SET rows_done = $3, created = created + $4, existing = existing + $5, skipped = skipped + $6,
    visits = visits + $9, existing_visits = existing_visits + $10,
    reasons = reasons || (
      SELECT coalesce(jsonb_object_agg(key, value::bigint + coalesce((reasons ->> key)::bigint, 0)), '{}')
      FROM jsonb_each_text($7::jsonb)
    )
  WHERE id = $1 AND rows_done = $2 AND state = 'running'
  RETURNING id
), told AS (
  INSERT INTO import_skips (import_id, row, reason, detail)
  SELECT advanced.id, skip.row, skip.reason, skip.detail
  FROM advanced, jsonb_to_recordset($8::jsonb) AS skip (row bigint, reason text, detail text)
  LIMIT greatest(0, 1000 - (SELECT count(*) FROM import_skips WHERE import_id = $1))
)
SELECT id FROM advanced
