-- $1 kind, $2 name (null: the top), $3 visits and $4 name of the last one seen (null: none), $5 how many. What is one label below,
-- each with all below it, the most visits first. Of what is folded.
WITH sums AS MATERIALIZED (
  SELECT
    CASE WHEN $2::text IS NULL THEN split_part(name, '.', 1) ELSE $2 || '.' || split_part(substr(name, length($2) + 2), '.', 1) END
      COLLATE "C" AS child,
    name, class, p - n AS visits
  FROM host_totals JOIN hosts ON hosts.id = host_id
  WHERE hosts.kind = $1 AND ($2 IS NULL OR name > $2 || '.' AND name < $2 || '/')
)
SELECT child AS name, visits, own, children, "byClass"
FROM (
  SELECT child,
    count(DISTINCT split_part(substr(name, length(child) + 2), '.', 1)) FILTER (WHERE name <> child AND visits <> 0)::integer AS children,
    sum(visits)::float8 AS visits, coalesce(sum(visits) FILTER (WHERE name = child), 0)::float8 AS own,
    ARRAY[
      coalesce(sum(visits) FILTER (WHERE class = 0), 0)::float8, coalesce(sum(visits) FILTER (WHERE class = 1), 0)::float8,
      coalesce(sum(visits) FILTER (WHERE class = 2), 0)::float8, coalesce(sum(visits) FILTER (WHERE class = 3), 0)::float8,
      coalesce(sum(visits) FILTER (WHERE class = 4), 0)::float8
    ] AS "byClass"
  FROM sums
  GROUP BY child
  HAVING sum(visits) <> 0 AND ($3::float8 IS NULL OR (-sum(visits)::float8, child) > (-$3::float8, $4 COLLATE "C"))
  ORDER BY sum(visits) DESC, child
  LIMIT $5
) AS page
