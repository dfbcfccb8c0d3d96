-- $1 how many. Adds the oldest changes to their tags' rows; two at once take different ones.
WITH taken AS (
  DELETE FROM tag_changes
  WHERE id = ANY (ARRAY(SELECT id FROM tag_changes ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING tag_id, links, visits, non_bot_visits
), added AS (
  INSERT INTO tag_totals AS kept (tag_id, links, visits, non_bot_visits)
  SELECT tag_id, sum(links), sum(visits), sum(non_bot_visits) FROM taken GROUP BY tag_id ORDER BY tag_id
  ON CONFLICT (tag_id) DO UPDATE SET links = kept.links + excluded.links, visits = kept.visits + excluded.visits,
    non_bot_visits = kept.non_bot_visits + excluded.non_bot_visits
)
SELECT count(*)::integer AS folded FROM taken
