-- $1 kind; parallel arrays: $2 names (null: the top), $3 sum and $4 name of the last one seen of each (null: none); $5 how many of each. What is one
-- label below each, with all below it, the largest sum first; `nr` is its place in the arrays, from 1 on. Of what is folded. A page is
-- as many rows of an index, however many names there are.
WITH asked AS MATERIALIZED (
  SELECT nr, CASE WHEN of IS NULL THEN 0 ELSE coalesce((SELECT id FROM hosts WHERE kind = $1 AND name = of), -1) END AS parent_id,
    coalesce(sum, 9223372036854775807) AS sum,
    coalesce((SELECT id FROM hosts WHERE kind = $1 AND name = last), 2147483647) AS last_id
  FROM unnest($2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS one (of, sum, last, nr)
), page AS MATERIALIZED (
  SELECT asked.nr, page.*
  FROM asked
  CROSS JOIN LATERAL (
    SELECT host_id, visits, by_class FROM host_sums
    WHERE kind = $1 AND visits <> 0 AND parent_id = asked.parent_id AND (visits, host_id) < (asked.sum, asked.last_id)
    ORDER BY visits DESC, host_id DESC
    LIMIT $5
  ) AS page
)
SELECT page.nr::integer AS nr, host.name, visits::float8 AS visits, page.by_class::float8[] AS "byClass", NULL::float8 AS "window",
  (SELECT sum(one) FROM unnest(own.by_class) AS one) AS own, own.by_class AS "ownByClass",
  host.children - (rest.id IS NOT NULL)::integer AS children
FROM page
JOIN hosts AS host ON host.id = page.host_id
CROSS JOIN LATERAL (
  SELECT ARRAY(
    SELECT coalesce(sum(p - n), 0)::float8
    FROM generate_series(0, 4) AS class_number
    LEFT JOIN host_totals AS totals ON totals.kind = $1 AND totals.host_id = page.host_id AND totals.class = class_number
    GROUP BY class_number ORDER BY class_number
  ) AS by_class
) AS own
LEFT JOIN hosts AS rest ON rest.kind = $1 AND rest.name = host.name || '.~rest'
ORDER BY page.nr, page.visits DESC, page.host_id DESC
