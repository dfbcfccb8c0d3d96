-- $1 days, $2 how many at most, $3 kind. Takes names and counts of what was counted so long ago; their sums by host stay. A batch stays whole as
-- long as some of its names have no place, of names that no fold has met yet, and holds up no other; where somebody else is at it,
-- nothing ends.
WITH turn AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(hashtext('expire-host-batches')) AS is_ours
), old AS MATERIALIZED (
  SELECT stream, key, names, counts, reversed_at
  FROM host_batches AS old
  WHERE names IS NOT NULL AND settled_at < now() - make_interval(days => $1) AND (SELECT is_ours FROM turn)
    AND NOT EXISTS (
      SELECT FROM unnest(old.names) AS part (name)
      -- Nearly all are hosts of their own: looked for first, as host_place() costs more.
      WHERE NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = $3 AND hosts.name = part.name)
        AND NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = $3 AND hosts.name = host_place($3, part.name))
    )
  -- Who delivers one of them again has its row, and may wait for another one that is ours.
  ORDER BY settled_at LIMIT $2 FOR UPDATE SKIP LOCKED
), ended AS (
  UPDATE host_batches AS batch SET names = NULL, counts = NULL
  FROM old WHERE batch.stream = old.stream AND batch.key = old.key
), fed AS (
  SELECT part.name, sum(part.count) AS p, coalesce(sum(part.count) FILTER (WHERE reversed_at IS NOT NULL), 0) AS n
  FROM old, unnest(names, counts) AS part (name, count)
  GROUP BY 1
), kept AS (
  INSERT INTO host_feed_ended AS ended (host_id, p, n)
  SELECT hosts.id, sum(fed.p), sum(fed.n) FROM fed LEFT JOIN hosts ON hosts.kind = $3 AND hosts.name = host_place($3, fed.name) GROUP BY 1
  ORDER BY 1
  ON CONFLICT (host_id) DO UPDATE SET p = ended.p + excluded.p, n = ended.n + excluded.n
)
SELECT count(*)::integer AS ended FROM old
