-- $1 link, $2 cause, $3 the most rows there may be. Then a row of a link in the bin, else the oldest that was reported once, becomes
-- this one (no row is deleted: the audit log has every deletion, and visitors must push nothing out of it).
WITH is_new AS (
  SELECT (SELECT count(*) FROM abuse_reports) >= $3 AS needs_room FROM links
  WHERE id = $1 AND NOT EXISTS (SELECT FROM abuse_reports WHERE link_id = $1 AND cause = $2)
), replaced AS (
  UPDATE abuse_reports SET id = DEFAULT, link_id = $1, cause = $2, reports = 1, first_at = now(), last_at = now()
  WHERE (SELECT needs_room FROM is_new) AND id = (
    SELECT old.id FROM abuse_reports AS old JOIN links ON links.id = old.link_id
    WHERE links.deleted_at IS NOT NULL OR old.reports = 1
    ORDER BY links.deleted_at IS NULL, old.last_at, old.id LIMIT 1
  )
  RETURNING id
), counted AS (
  INSERT INTO abuse_reports AS kept (link_id, cause)
  SELECT id, $2 FROM links WHERE id = $1 AND NOT EXISTS (SELECT FROM is_new WHERE needs_room)
  ON CONFLICT (link_id, cause) DO UPDATE SET reports = kept.reports + 1, last_at = now()
  RETURNING id
)
SELECT id FROM replaced UNION ALL SELECT id FROM counted
