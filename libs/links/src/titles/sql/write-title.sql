-- $1 link, $2 the request's due_at, $3 the title. Nothing is written when the link was given a title or another target.
WITH answered AS (
  UPDATE link_titles SET due_at = NULL, attempts = 0, found_title = $3
  WHERE link_id = $1 AND due_at = $2::timestamptz
  RETURNING link_id
), titled AS (
  UPDATE links SET title = $3, version = version + 1, updated_at = now()
  FROM answered
  WHERE links.id = answered.link_id AND links.title IS NULL AND links.deleted_at IS NULL
  RETURNING links.id
)
INSERT INTO link_outbox (link_id) SELECT id FROM titled RETURNING link_id
