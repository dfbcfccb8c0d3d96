-- $1 part of the name (lower case), $2 how many, $3 after how many. The page, each row with the number of all; when nothing
-- is on it one row with that number alone.
WITH changed AS (
  SELECT tag_id, sum(links) AS links, sum(visits) AS visits, sum(non_bot_visits) AS non_bot_visits
  FROM tag_changes GROUP BY tag_id
), found AS MATERIALIZED (
  SELECT tags.name, coalesce(kept.links, 0) + coalesce(changed.links, 0) AS links,
    coalesce(kept.visits, 0) + coalesce(changed.visits, 0) AS visits,
    coalesce(kept.non_bot_visits, 0) + coalesce(changed.non_bot_visits, 0) AS non_bot_visits
  FROM tags
  LEFT JOIN tag_totals AS kept ON kept.tag_id = tags.id
  LEFT JOIN changed ON changed.tag_id = tags.id
  WHERE $1 = '' OR strpos(tags.name, $1) > 0
), page AS (
  SELECT row_number() OVER (ORDER BY /* order */) AS place, * FROM found ORDER BY place LIMIT $2 OFFSET $3
)
SELECT page.name AS tag, page.links::float8 AS links, page.visits::float8 AS visits,
  page.non_bot_visits::float8 AS "nonBotVisits", counted."all"
FROM (SELECT count(*)::float8 AS "all" FROM found) AS counted
LEFT JOIN page ON true
ORDER BY page.place
