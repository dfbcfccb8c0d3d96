-- $1 links, in the transaction of a change that gave them a new target and no title. A title that was found at the old
-- target goes; one of its owner's stays, and nothing is looked for.
WITH untitled AS (
  SELECT links.id, links.title IS NOT NULL AS has_old_title
  FROM links
  LEFT JOIN link_titles ON link_titles.link_id = links.id
  WHERE links.id = ANY ($1::bigint[]) AND (links.title IS NULL OR links.title = link_titles.found_title)
), cleared AS (
  UPDATE links SET title = NULL FROM untitled WHERE links.id = untitled.id AND untitled.has_old_title
)
INSERT INTO link_titles (link_id, due_at)
SELECT id, now() FROM untitled
ON CONFLICT (link_id) DO UPDATE SET due_at = excluded.due_at, attempts = 0, found_title = NULL
