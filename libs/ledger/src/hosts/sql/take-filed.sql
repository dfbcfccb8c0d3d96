-- Parallel arrays: $1 bucket, $2 class, $3 target, $4 short and $5 referrer host (as visits have them), $6 visits, $7 checksum: what
-- files lose. Cells are not known: it goes from the first of each bucket.
INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
SELECT array_agg(kind), array_agg(host), array_agg(cell), array_agg(class), array_agg(0::bigint), array_agg(visits), array_agg(checksum)
FROM (
  SELECT kind, host, (extract(epoch FROM bucket) / 10)::integer AS cell, class, sum(visits)::bigint AS visits, bit_xor(checksum) AS checksum
  FROM unnest($1::timestamptz[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
      AS loss (bucket, class, target_host, short_host, referrer_host, visits, checksum),
    visit_hosts(target_host, short_host, referrer_host)
  GROUP BY 1, 2, 3, 4
) AS losses
HAVING count(*) > 0
