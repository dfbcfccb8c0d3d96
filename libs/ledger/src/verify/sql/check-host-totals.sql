-- $1 how many differences at most. Totals of hosts against their buckets, and of peers against what they said, both ways.
SELECT
  coalesce(kept.kind, counted.kind) AS kind, hosts.name AS host, coalesce(kept.class, counted.class) AS class,
  jsonb_build_object('p', counted.p, 'n', counted.n) AS expected,
  jsonb_build_object('p', kept.p, 'n', kept.n) AS actual
FROM host_totals AS kept
FULL JOIN (
  SELECT kind, host_id, class, dc, sum(p) AS p, sum(n) AS n FROM host_buckets GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT kind, host_id, class, dc, sum(p), sum(n) FROM host_replicas GROUP BY 1, 2, 3, 4
) AS counted USING (kind, host_id, class, dc)
JOIN hosts ON hosts.id = coalesce(kept.host_id, counted.host_id)
WHERE (coalesce(kept.p, 0), coalesce(kept.n, 0)) <> (coalesce(counted.p, 0), coalesce(counted.n, 0))
LIMIT $1
