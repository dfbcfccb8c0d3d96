-- From the first cell of each bucket, as those of the visits are not known any more.
INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
SELECT array_agg(kind), array_agg(host), array_agg(cell), array_agg(class), array_agg(p), array_agg(n), array_agg(checksum)
FROM (
  SELECT *, (row_number() OVER (ORDER BY cell) - 1) / 20000 AS part
  FROM (
    SELECT host.kind, host.host, (extract(epoch FROM moves.bucket) / 10)::integer AS cell, part.class,
      sum(part.p)::bigint AS p, sum(part.n)::bigint AS n, bit_xor(moves.checksum) AS checksum
    FROM moves
    CROSS JOIN LATERAL visit_hosts(target_host, short_host, referrer_host) AS host
    CROSS JOIN LATERAL (VALUES (from_class, 0::bigint, visits), (moves.class, visits, 0::bigint)) AS part (class, p, n)
    GROUP BY 1, 2, 3, 4
  ) AS sums
) AS moved
GROUP BY part
