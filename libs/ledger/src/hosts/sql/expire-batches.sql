-- $1 days, $2 how many at most, $3 kind. What they counted stays known by host. A batch stays as long as some of its names have no place, of
-- names that no fold has met yet, and holds up no other; where somebody else is at it, nothing goes.
WITH turn AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(hashtext('expire-host-batches')) AS is_ours
), gone AS (
  DELETE FROM host_batches WHERE ctid IN (
    SELECT ctid FROM host_batches AS old
    WHERE accepted_at < now() - make_interval(days => $1) AND (SELECT is_ours FROM turn)
      AND NOT EXISTS (
        SELECT FROM unnest(old.names) AS part (name)
        -- Nearly all are hosts of their own: looked for first, as host_place() costs more.
        WHERE NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = $3 AND hosts.name = part.name)
          AND NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = $3 AND hosts.name = host_place($3, part.name))
      )
    ORDER BY accepted_at LIMIT $2 FOR UPDATE
  )
  RETURNING names, counts, reversed_at
), fed AS (
  SELECT part.name, sum(part.count) AS p, coalesce(sum(part.count) FILTER (WHERE reversed_at IS NOT NULL), 0) AS n
  FROM gone, unnest(names, counts) AS part (name, count)
  GROUP BY 1
), kept AS (
  INSERT INTO host_feed_ended AS ended (host_id, p, n)
  SELECT hosts.id, sum(fed.p), sum(fed.n) FROM fed LEFT JOIN hosts ON hosts.kind = $3 AND hosts.name = host_place($3, fed.name) GROUP BY 1
  ORDER BY 1
  ON CONFLICT (host_id) DO UPDATE SET p = ended.p + excluded.p, n = ended.n + excluded.n
)
SELECT count(*)::integer AS gone FROM gone
