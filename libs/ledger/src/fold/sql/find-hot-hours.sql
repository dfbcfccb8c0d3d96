-- $1 first hour to look at, $2 seconds a change of heat has to be old: until then commits that did not know
-- of it may be open. Hours of links folded by their commits that are not what their buckets say.
SELECT heat.link_id, traffic.hour
FROM link_heat AS heat
CROSS JOIN LATERAL (
  SELECT date_trunc('hour', bucket) AS hour, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic
  WHERE link_id = heat.link_id AND bucket >= greatest(heat.folded_from, $1::timestamptz)
  GROUP BY 1
) AS traffic
LEFT JOIN link_folds AS fold
  ON fold.link_id = heat.link_id AND fold.hour = traffic.hour
CROSS JOIN LATERAL (
  SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
  FROM link_fold_deltas WHERE link_id = heat.link_id AND hour = traffic.hour
) AS delta
WHERE heat.folded_from IS NOT NULL AND heat.changed_at <= now() - $2::float8 * interval '1 second'
  AND (coalesce(fold.visits, 0) + delta.visits, coalesce(fold.checksum, 0) # delta.checksum)
    <> (traffic.visits, traffic.checksum)
ORDER BY 1, 2
