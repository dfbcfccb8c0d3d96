-- $1 how many batches. The touched links and hours of the oldest ones, which are thereby used up.
WITH taken AS (
  DELETE FROM link_changes
  WHERE id IN (SELECT id FROM link_changes ORDER BY id LIMIT $1)
  RETURNING link_ids, hours
), candidates AS (
  -- An hour that is folded already (a late visit) becomes due again. Updating its row makes a folder
  -- that is about to take it wait.
  INSERT INTO fold_candidates AS candidate (link_id, hour)
  SELECT DISTINCT change.link_id, change.hour
  FROM taken CROSS JOIN LATERAL unnest(taken.link_ids, taken.hours) AS change (link_id, hour)
  ORDER BY 1, 2
  ON CONFLICT (link_id, hour) DO UPDATE SET hour_due = true WHERE NOT candidate.hour_due
)
SELECT
  (SELECT count(*)::integer FROM taken) AS changes,
  ARRAY(SELECT DISTINCT change.link_id FROM taken CROSS JOIN LATERAL unnest(taken.link_ids) AS change (link_id)) AS link_ids
