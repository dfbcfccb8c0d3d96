-- $1 link, $2 from and $3 to (whole hours). What is known of the link's visits without looking at them: from when on
-- the ledger has them, which were purged, and the sums of each hour (parallel arrays; JSON, because it is read fastest).
SELECT retention.kept_from, link.purged_before, hours.*
FROM (
  SELECT coalesce(json_agg(hour ORDER BY hour), '[]') AS hours, coalesce(json_agg(visits ORDER BY hour), '[]') AS visits,
    coalesce(json_agg(checksum ORDER BY hour), '[]') AS checksums
  FROM (
    SELECT (extract(epoch FROM date_bin('1 hour', bucket, '2000-01-01 00:00:00+00')) * 1000)::bigint AS hour,
      sum(visits)::bigint AS visits, bit_xor(checksum)::text AS checksum
    FROM link_traffic
    WHERE link_id = $1 AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
    GROUP BY 1
    HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0
  ) AS sums
) AS hours
LEFT JOIN ledger_retention AS retention ON true
LEFT JOIN links AS link ON link.id = $1
