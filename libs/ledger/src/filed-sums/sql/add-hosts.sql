INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums, is_correction)
SELECT array_agg(kind), array_agg(name), array_agg((extract(epoch FROM bucket) / 10)::integer), array_agg(class),
  array_agg(greatest(visits, 0)), array_agg(greatest(-visits, 0)), array_agg(checksum), true
FROM (SELECT *, (row_number() OVER (ORDER BY bucket) - 1) / 20000 AS part FROM missing_sums WHERE kind IS NOT NULL) AS missing
GROUP BY part
