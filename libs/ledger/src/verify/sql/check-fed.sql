-- $1 kind that is fed, $2 how many differences at most. What batches say of each host (and all of them together: '') against what is booked. Batches
-- have their names for some days only, and a stream so many lines a day.
WITH given AS MATERIALIZED (
  SELECT part.name, sum(part.count) AS p, coalesce(sum(part.count) FILTER (WHERE reversed_at IS NOT NULL), 0) AS n
  FROM host_batches, unnest(names, counts) AS part (name, count)
  WHERE names IS NOT NULL
  GROUP BY 1
), waiting AS MATERIALIZED (
  SELECT change.host AS name, sum(change.p) AS p, sum(change.n) AS n
  FROM host_changes, unnest(kinds, hosts, p, n) AS change (kind, host, p, n)
  WHERE folded_at IS NULL AND change.kind = $1
  GROUP BY 1
), place AS MATERIALIZED (
  SELECT one.name, coalesce(hosts.name, host_place($1, one.name)) COLLATE "C" AS host
  FROM (SELECT name FROM given UNION SELECT name FROM waiting) AS one
  LEFT JOIN hosts ON hosts.kind = $1 AND hosts.name = one.name
), said AS (
  SELECT host, p, n FROM given JOIN place USING (name)
  UNION ALL
  SELECT name, p, n FROM host_feed_ended JOIN hosts ON hosts.id = host_id
), booked AS MATERIALIZED (
  SELECT name AS host, p, n FROM host_buckets JOIN hosts ON hosts.id = host_id WHERE host_buckets.kind = $1 AND dc = ''
  UNION ALL
  SELECT host, p, n FROM waiting JOIN place USING (name)
), expected AS (
  SELECT host, sum(p) AS p, sum(n) AS n FROM said GROUP BY 1
  UNION ALL
  SELECT '', visits, NULL FROM host_feed
), kept AS (
  SELECT host, sum(p) AS p, sum(n) AS n FROM booked GROUP BY 1
  UNION ALL
  SELECT '', coalesce(sum(p), 0), NULL FROM booked
)
SELECT coalesce(kept.host, expected.host) AS host,
  jsonb_build_object('p', expected.p, 'n', expected.n) AS expected, jsonb_build_object('p', kept.p, 'n', kept.n) AS actual
FROM kept FULL JOIN expected ON expected.host = kept.host
WHERE (coalesce(kept.p, 0), coalesce(kept.n, 0)) <> (coalesce(expected.p, 0), coalesce(expected.n, 0))
LIMIT $2
