-- $1 how many differences at most. What a tag's links and their totals are together, against what is kept of the tag: its
-- row and the changes that wait to be added to it, which belong to the same transactions.
WITH kept AS (
  SELECT tag_id, sum(links) AS links, sum(visits) AS visits, sum(non_bot_visits) AS non_bots
  FROM (
    SELECT tag_id, links, visits, non_bot_visits FROM tag_totals
    UNION ALL
    SELECT tag_id, links, visits, non_bot_visits FROM tag_changes
  ) AS parts
  GROUP BY tag_id
), expected AS (
  SELECT tag_id, count(*) FILTER (WHERE listed) AS links, sum(visits) AS visits, sum(non_bot_visits) AS non_bots
  FROM link_tags JOIN link_totals USING (link_id)
  GROUP BY tag_id
)
SELECT
  coalesce((SELECT name FROM tags WHERE id = tag_id), tag_id::text) AS tag,
  jsonb_build_object('links', expected.links, 'visits', expected.visits, 'nonBots', expected.non_bots) AS expected,
  jsonb_build_object('links', kept.links, 'visits', kept.visits, 'nonBots', kept.non_bots) AS actual
FROM kept FULL JOIN expected USING (tag_id)
WHERE (coalesce(kept.links, 0), coalesce(kept.visits, 0), coalesce(kept.non_bots, 0))
  <> (coalesce(expected.links, 0), coalesce(expected.visits, 0), coalesce(expected.non_bots, 0))
LIMIT $1
