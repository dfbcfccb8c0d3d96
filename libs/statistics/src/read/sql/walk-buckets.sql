-- $1 scope and $2 its id in scope_traffic (null: $3 says which links), $3 links, $4 from, $5 to (null: open), $6 classes left out,
-- $7 buckets that a limit cuts in two and $8 visits of them in the range, $9 rows before the page, $10 rows of the page.
-- How many visits there are, and the buckets of the page, newest first, each with the visits that are newer than it.
WITH sums AS (
  SELECT bucket, sum(visits) AS visits
  FROM (
    SELECT bucket, visits FROM scope_traffic
    WHERE scope = $1 AND scope_id = $2
      AND bucket >= coalesce($4::timestamptz, '-infinity') AND bucket < coalesce($5::timestamptz, 'infinity')
      AND bucket <> ALL ($7::timestamptz[]) AND class <> ALL ($6::smallint[])
    UNION ALL
    SELECT bucket, visits FROM link_traffic
    WHERE link_id = ANY ($3::bigint[])
      AND bucket >= coalesce($4::timestamptz, '-infinity') AND bucket < coalesce($5::timestamptz, 'infinity')
      AND bucket <> ALL ($7::timestamptz[]) AND class <> ALL ($6::smallint[])
    UNION ALL
    SELECT * FROM unnest($7::timestamptz[], $8::bigint[])
  ) AS part
  GROUP BY bucket
  HAVING sum(visits) > 0
), places AS (
  SELECT bucket, visits, sum(visits) OVER (ORDER BY bucket DESC) - visits AS newer FROM sums
)
SELECT coalesce(sum(visits), 0)::float8 AS total,
  coalesce(json_agg((extract(epoch FROM bucket) * 1000)::bigint ORDER BY bucket DESC) FILTER (
    WHERE newer < $9::bigint + $10::bigint AND newer + visits > $9::bigint
  ), '[]') AS buckets,
  coalesce(json_agg(newer ORDER BY bucket DESC) FILTER (
    WHERE newer < $9::bigint + $10::bigint AND newer + visits > $9::bigint
  ), '[]') AS newer
FROM places
