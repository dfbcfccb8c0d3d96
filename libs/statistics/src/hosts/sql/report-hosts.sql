-- $1 kind, $2 start of the month and $3 of the one after, $4 of the one before, $5 how many of each at most. Names of their own that had
-- visits for the first time; that had some in the month before and none now; that surged. The most visits first.
WITH present AS MATERIALIZED (
  SELECT host_id, sum(p - n) AS visits FROM host_buckets
  WHERE kind = $1 AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
    AND last_bucket >= $2::timestamptz AND first_bucket < $3::timestamptz
  GROUP BY 1 HAVING sum(p - n) > 0
), before AS MATERIALIZED (
  SELECT host_id, sum(p - n) AS visits FROM host_buckets
  WHERE kind = $1 AND bucket >= $4::timestamptz AND bucket < $2::timestamptz
    AND last_bucket >= $4::timestamptz AND first_bucket < $2::timestamptz
  GROUP BY 1 HAVING sum(p - n) > 0
), named AS (
  SELECT id, name FROM hosts WHERE kind = $1 AND (name NOT LIKE '~%' OR name LIKE '~ip.%' OR name LIKE '~app.%') AND name NOT LIKE '%.~rest'
)
(
  SELECT 'new' AS change, name, visits::float8 AS visits, 0 AS surges
  FROM present JOIN named ON id = host_id
  WHERE NOT EXISTS (SELECT FROM host_traffic AS past WHERE past.kind = $1 AND past.host_id = present.host_id AND past.bucket < $2::timestamptz)
    AND NOT EXISTS (SELECT FROM quiet_host_traffic AS past WHERE past.host_id = present.host_id AND past.first_bucket < $2::timestamptz)
  ORDER BY visits DESC, name LIMIT $5
)
UNION ALL
(
  SELECT 'gone', name, visits::float8, 0
  FROM before JOIN named ON id = host_id
  WHERE NOT EXISTS (SELECT FROM present WHERE present.host_id = before.host_id)
  ORDER BY visits DESC, name LIMIT $5
)
UNION ALL
(
  SELECT 'surged', host, max(visits)::float8, count(*) FILTER (WHERE what = 'opened')::integer
  FROM host_alerts
  WHERE kind = $1 AND what <> 'closed' AND at >= $2::timestamptz AND at < $3::timestamptz
  GROUP BY host ORDER BY max(visits) DESC, host LIMIT $5
)
