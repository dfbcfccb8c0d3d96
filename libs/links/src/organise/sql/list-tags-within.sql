-- $1 part of the name (lower case), $2 how many, $3 after how many, $4 to $6 reach. As list-tags.sql, of the links that are
-- reached, added up now; tags without one are left out.
WITH found AS MATERIALIZED (
  SELECT tags.name, count(*) FILTER (WHERE links.deleted_at IS NULL) AS links, coalesce(sum(totals.visits), 0) AS visits,
    coalesce(sum(totals.non_bot_visits), 0) AS non_bot_visits
  FROM links
  JOIN link_tags ON link_tags.link_id = links.id
  JOIN tags ON tags.id = link_tags.tag_id
  LEFT JOIN link_totals AS totals ON totals.link_id = links.id
  WHERE within_reach(links.author_key_id, links.domain_id, links.group_id, $4, $5, $6) AND ($1 = '' OR strpos(tags.name, $1) > 0)
  GROUP BY tags.id
), page AS (
  SELECT row_number() OVER (ORDER BY /* order */) AS place, * FROM found ORDER BY place LIMIT $2 OFFSET $3
)
SELECT page.name AS tag, page.links::float8 AS links, page.visits::float8 AS visits,
  page.non_bot_visits::float8 AS "nonBotVisits", counted."all"
FROM (SELECT count(*)::float8 AS "all" FROM found) AS counted
LEFT JOIN page ON true
ORDER BY page.place
