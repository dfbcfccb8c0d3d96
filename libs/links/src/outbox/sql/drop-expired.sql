-- $1 seconds. Of the thousand oldest only: asked twice a second while Redis is away.
DELETE FROM link_outbox
WHERE id IN (
  SELECT id FROM (SELECT id, changed_at FROM link_outbox ORDER BY id LIMIT 1000) AS oldest
  WHERE changed_at < now() - make_interval(secs => $1)
)
