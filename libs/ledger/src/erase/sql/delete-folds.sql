-- $1 erasures (null: those that ended, or stood still, in the last $2 seconds). Folds, and deltas of hot hours, that hold
-- hashes of who was erased and are not what their buckets say: of hours that lost no visit just now, or written by a folder
-- with an older snapshot. Nobody reads them, but they would keep the hashes for two days.
WITH erased AS MATERIALIZED (
  SELECT person, occurred_from, occurred_before, array_agg(hash) AS hashes
  FROM erasures
  WHERE CASE
    WHEN $1::bigint[] IS NULL THEN coalesce(erased_at, started_at) > now() - make_interval(secs => $2)
    ELSE id = ANY ($1)
  END
  GROUP BY person, occurred_from, occurred_before
), holding AS MATERIALIZED (
  SELECT part.link_id, part.hour
  FROM (
    SELECT link_id, hour, visitors, ips FROM link_folds
    UNION ALL SELECT link_id, hour, visitors, ips FROM link_fold_deltas
  ) AS part
  JOIN erased ON part.hour < erased.occurred_before AND part.hour > erased.occurred_from - interval '1 hour'
  WHERE EXISTS (
    SELECT FROM unnest(CASE erased.person WHEN 'visitor' THEN part.visitors ELSE part.ips END) AS kept (hash)
    JOIN unnest(erased.hashes) AS gone (hash) USING (hash)
  )
  GROUP BY part.link_id, part.hour
), stale AS MATERIALIZED (
  SELECT holding.link_id, holding.hour
  FROM holding
  LEFT JOIN link_folds AS fold ON fold.link_id = holding.link_id AND fold.hour = holding.hour
  CROSS JOIN LATERAL (
    SELECT sum(traffic.visits) AS visits, bit_xor(traffic.checksum) AS checksum
    FROM link_traffic AS traffic
    WHERE traffic.link_id = holding.link_id AND traffic.bucket >= holding.hour
      AND traffic.bucket < holding.hour + interval '1 hour'
  ) AS kept
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(added.visits), 0) AS visits, coalesce(bit_xor(added.checksum), 0) AS checksum
    FROM link_fold_deltas AS added
    WHERE added.link_id = holding.link_id AND added.hour = holding.hour
  ) AS delta
  WHERE (coalesce(fold.visits, 0) + delta.visits, coalesce(fold.checksum, 0) # delta.checksum)
    IS DISTINCT FROM (kept.visits, kept.checksum)
), deltas AS (
  DELETE FROM link_fold_deltas AS delta USING stale
  WHERE delta.link_id = stale.link_id AND delta.hour = stale.hour
  RETURNING delta.link_id
)
DELETE FROM link_folds AS fold USING stale
-- Deltas first, as whoever folds an hour takes them.
WHERE (SELECT count(*) FROM deltas) >= 0 AND fold.link_id = stale.link_id AND fold.hour = stale.hour
