-- $1 how many sums at most. What is not in the totals yet.
SELECT change.kind, change.host AS name, change.class, sum(change.p - change.n)::float8 AS visits
FROM host_changes, unnest(kinds, hosts, classes, p, n) AS change (kind, host, class, p, n)
WHERE folded_at IS NULL
GROUP BY 1, 2, 3
LIMIT $1
