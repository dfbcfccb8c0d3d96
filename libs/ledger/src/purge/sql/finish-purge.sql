-- $1 link, $2 instant. Not if a later purge of the link began meanwhile: it is its own.
WITH finished AS (
  DELETE FROM unfinished_purges WHERE link_id = $1 AND purged_before = $2::timestamptz RETURNING link_id
)
INSERT INTO finished_purges (link_id) SELECT link_id FROM finished
ON CONFLICT (link_id) DO UPDATE SET finished_at = now()
