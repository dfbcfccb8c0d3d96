-- A change for each tag whose sums are not those of its links: the difference in this statement's snapshot, which is
-- right whenever it is added.
INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
SELECT tag_id, sum(links), sum(visits), sum(non_bot_visits)
FROM (
  SELECT tag_id, listed::integer AS links, visits, non_bot_visits FROM link_tags JOIN link_totals USING (link_id)
  UNION ALL
  SELECT tag_id, -links, -visits, -non_bot_visits FROM tag_totals
  UNION ALL
  SELECT tag_id, -links, -visits, -non_bot_visits FROM tag_changes
) AS parts
GROUP BY tag_id
HAVING (sum(links), sum(visits), sum(non_bot_visits)) <> (0, 0, 0)
RETURNING tag_id
