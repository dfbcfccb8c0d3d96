-- $1 kind, $2 name (null: the top), $3 sum and $4 name of the last one seen (null: none), $5 how many. What is one label below, each with
-- all below it, the largest sum first. Of what is folded. A page is as many rows of an index, however many names there are.
WITH page AS MATERIALIZED (
  SELECT host_id, visits, by_class FROM host_sums
  WHERE kind = $1 AND visits <> 0
    AND parent_id = CASE WHEN $2::text IS NULL THEN 0 ELSE coalesce((SELECT id FROM hosts WHERE kind = $1 AND name = $2), -1) END
    AND (visits, host_id) < (
      coalesce($3::bigint, 9223372036854775807),
      coalesce((SELECT id FROM hosts WHERE kind = $1 AND name = $4::text), 2147483647)
    )
  ORDER BY visits DESC, host_id DESC
  LIMIT $5
)
SELECT host.name, visits::float8 AS visits, page.by_class::float8[] AS "byClass", NULL::float8 AS "window",
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
ORDER BY page.visits DESC, page.host_id DESC
