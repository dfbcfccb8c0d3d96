-- $1 link, $2/$3 whole hours that hold the range, $4/$5 the range, $6 ascending starts of the series' points, $7 buckets that a
-- limit cuts in two. One reading of the link's buckets, two sums of them: each day (UTC), and of what lies in the range
-- and is not cut each point (0-based) and class; both of what is added up once, as grouping each bucket twice takes as long again.
-- JSON: it is read fastest.
WITH bucket AS (
  SELECT date_bin('1 day', bucket, '2000-01-01 00:00:00+00') AS day, class, visits, checksum,
    CASE WHEN bucket >= $4::timestamptz AND bucket < $5::timestamptz AND bucket <> ALL ($7::timestamptz[])
      THEN width_bucket(bucket, $6::timestamptz[]) - 1 END AS point
  FROM link_traffic
  WHERE link_id = $1 AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
), counted AS MATERIALIZED (
  SELECT day, point, class, sum(visits)::bigint AS visits, bit_xor(checksum) AS checksum
  FROM bucket
  GROUP BY day, point, class
), days AS (
  SELECT day, sum(visits)::bigint AS visits, bit_xor(checksum) AS checksum FROM counted GROUP BY day
), points AS (
  SELECT point, class, sum(visits)::bigint AS visits FROM counted WHERE point IS NOT NULL GROUP BY point, class
)
SELECT
  (
    SELECT coalesce(json_agg(json_build_object(
      'start', (extract(epoch FROM day) * 1000)::bigint, 'visits', visits, 'checksum', checksum::text
    ) ORDER BY day), '[]')
    FROM days WHERE visits <> 0 OR checksum <> 0
  ) AS days,
  (
    SELECT coalesce(json_agg(json_build_object('point', point, 'class', class, 'visits', visits)), '[]')
    FROM points
  ) AS points
