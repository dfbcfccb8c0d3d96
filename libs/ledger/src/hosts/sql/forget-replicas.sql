-- $1 data centre, $2 how many at most. Some of what it said goes, and its part of the totals. Should it be followed again, it is read from the beginning.
WITH gone AS (
  DELETE FROM host_replicas
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM host_replicas WHERE dc = $1 LIMIT $2))
  RETURNING kind, host_id, class, p, n
), sums AS MATERIALIZED (
  SELECT kind, host_id, class, sum(p) AS p, sum(n) AS n FROM gone GROUP BY 1, 2, 3
), emptied AS (
  DELETE FROM host_totals AS totals USING sums
  WHERE totals.kind = sums.kind AND totals.host_id = sums.host_id AND totals.class = sums.class AND dc = $1
    AND (totals.p, totals.n) = (sums.p, sums.n)
), reduced AS (
  UPDATE host_totals AS totals SET p = totals.p - sums.p, n = totals.n - sums.n FROM sums
  WHERE totals.kind = sums.kind AND totals.host_id = sums.host_id AND totals.class = sums.class AND dc = $1
    AND (totals.p, totals.n) <> (sums.p, sums.n)
)
UPDATE host_peers
SET epoch = NULL, as_of = NULL, next_offset = 0, replicas = host_peers.replicas - all_gone.replicas, p = host_peers.p - all_gone.p, n = host_peers.n - all_gone.n
FROM (SELECT count(*) AS replicas, coalesce(sum(p), 0) AS p, coalesce(sum(n), 0) AS n FROM gone) AS all_gone
WHERE dc = $1
RETURNING all_gone.replicas::integer AS gone
