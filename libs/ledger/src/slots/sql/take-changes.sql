-- $1 how many batches. The touched links of the oldest ones, which are thereby used up.
WITH taken AS (
  DELETE FROM link_changes
  WHERE id IN (SELECT id FROM link_changes ORDER BY id LIMIT $1)
  RETURNING link_ids
)
SELECT
  (SELECT count(*)::integer FROM taken) AS changes,
  ARRAY(SELECT DISTINCT unnest(link_ids) FROM taken) AS link_ids
