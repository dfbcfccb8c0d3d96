-- $1 link, $2 version it must have (null: any), $3 long URL (null: stays), $4 whether $5 title counts, $6 whether
-- $7 group counts. One row or none: the version fences off whoever looked at an older one.
WITH edited AS (
  UPDATE links
  SET long_url = coalesce($3, long_url),
    title = CASE WHEN $4::boolean THEN $5 ELSE title END,
    group_id = CASE WHEN $6::boolean THEN $7 ELSE group_id END,
    version = version + 1,
    updated_at = now()
  WHERE id = $1 AND deleted_at IS NULL AND ($2::bigint IS NULL OR version = $2)
  RETURNING id
)
INSERT INTO link_outbox (link_id) SELECT id FROM edited RETURNING link_id
