-- Once, where months were dropped before purges of them were noted: each of their buckets that a purge may have reached is to be looked at.
WITH told AS (DELETE FROM unattributed_purges WHERE bucket = '-infinity' RETURNING id)
INSERT INTO unattributed_purges (bucket, class, visits, checksum)
SELECT bucket, 0, 0, 0
FROM scope_traffic
WHERE EXISTS (SELECT FROM told) AND scope = 'all' AND scope_id = '' AND bucket < (SELECT kept_from FROM ledger_retention)
  AND bucket < (SELECT max(purged_before) FROM links WHERE purged_before IS NOT NULL)
GROUP BY bucket
