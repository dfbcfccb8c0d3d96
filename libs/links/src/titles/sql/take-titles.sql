-- $1 how many. Due ones nobody else is taking; they are due again after a pause, should this process die or the
-- target not answer. due_at as text names the request: a later change of the link makes another one.
WITH due AS (
  SELECT link_id FROM link_titles WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE link_titles
SET attempts = attempts + 1,
  due_at = now() + CASE attempts WHEN 0 THEN interval '1 minute' WHEN 1 THEN interval '10 minutes' ELSE interval '1 hour' END
FROM due
JOIN links ON links.id = due.link_id
WHERE link_titles.link_id = due.link_id
RETURNING link_titles.link_id, link_titles.due_at::text AS due_at, link_titles.attempts, links.long_url,
  links.deleted_at IS NOT NULL AS is_deleted
