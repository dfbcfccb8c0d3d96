-- $1 import, $2 rows that were done before, $3 rows that are now, $4 created, $5 updated, $6 unchanged, $7 refused, $8 reasons
-- with their numbers, $9 remarks as JSON, $10 visits counted, $11 visits that were here. The first 100,000 remarks are kept.
WITH advanced AS (
  UPDATE imports SET rows_done = $3, created = created + $4, updated = updated + $5, existing = existing + $6,
    skipped = skipped + $7, visits = visits + $10, existing_visits = existing_visits + $11,
    reasons = reasons || (
      SELECT coalesce(jsonb_object_agg(key, value::bigint + coalesce((reasons ->> key)::bigint, 0)), '{}')
      FROM jsonb_each_text($8::jsonb)
    )
  WHERE id = $1 AND rows_done = $2 AND state = 'running'
  RETURNING id
), told AS (
  INSERT INTO import_skips (import_id, row, line, field, reason, detail)
  SELECT advanced.id, skip.row, skip.line, skip.field, skip.reason, skip.detail
  FROM advanced,
    jsonb_to_recordset($9::jsonb) AS skip (row bigint, line bigint, field text, reason text, detail text)
  LIMIT greatest(0, 100000 - (
    -- Remarks so far: the statement sees the row as it was.
    SELECT coalesce(sum(value::bigint), 0) FROM imports, jsonb_each_text(reasons) WHERE imports.id = $1
  ))
)
SELECT id FROM advanced
