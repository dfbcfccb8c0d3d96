-- $1 days, $2 how many at most, $3 kind. What they counted stays known by host; all of it was folded long ago, else this fails and is tried again.
WITH gone AS (
  DELETE FROM host_batches WHERE ctid IN (
    SELECT ctid FROM host_batches WHERE accepted_at < now() - make_interval(days => $1) ORDER BY accepted_at LIMIT $2 FOR UPDATE
  )
  RETURNING names, counts, reversed_at
), fed AS (
  SELECT part.name, sum(part.count) AS p, coalesce(sum(part.count) FILTER (WHERE reversed_at IS NOT NULL), 0) AS n
  FROM gone, unnest(names, counts) AS part (name, count)
  GROUP BY 1
), kept AS (
  INSERT INTO host_feed_ended AS ended (host_id, p, n)
  SELECT hosts.id, sum(fed.p), sum(fed.n) FROM fed LEFT JOIN hosts ON hosts.kind = $3 AND hosts.name = host_place($3, fed.name) GROUP BY 1
  ON CONFLICT (host_id) DO UPDATE SET p = ended.p + excluded.p, n = ended.n + excluded.n
)
SELECT count(*)::integer AS gone FROM gone
