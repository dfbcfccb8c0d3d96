SELECT pg_advisory_xact_lock(hashtext('fold-hosts'));
INSERT INTO host_traffic AS traffic (kind, host_id, bucket, class, p, n, checksum)
SELECT kind, host_id, bucket, class, sum(p), sum(n), bit_xor(checksum) FROM quiet_host_buckets GROUP BY 1, 2, 3, 4
ON CONFLICT (kind, host_id, bucket, class, dc) DO UPDATE
SET p = traffic.p + excluded.p, n = traffic.n + excluded.n, checksum = traffic.checksum # excluded.checksum;
DROP VIEW host_buckets;
DROP VIEW quiet_host_buckets;
DROP TABLE quiet_host_traffic;
