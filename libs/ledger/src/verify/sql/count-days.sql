-- Days that have aggregates, and those of them that do not hold: a visit came or went since, and they are made again.
SELECT count(*)::float8 AS days,
  (count(*) FILTER (WHERE (kept.visits, kept.checksum) <> (counted.visits, counted.checksum)))::float8 AS stale
FROM day_aggregates AS kept
CROSS JOIN LATERAL (
  SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
  FROM scope_traffic
  WHERE scope = 'all' AND scope_id = '' AND bucket >= kept.day_start AND bucket < kept.day_end
) AS counted
WHERE kept.scope = 'all' AND kept.class = 'all'
