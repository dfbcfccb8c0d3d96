-- $1/$2 from and to. Buckets that the ledger dropped and of which filed_sums are, class by class, what the buckets of all links say; and the
-- purges that are settled there. All of it from one snapshot: a purge that commits later is left for the next time.
INSERT INTO sound_buckets (bucket, purge_ids)
SELECT bucket, array(SELECT id FROM unattributed_purges AS purge WHERE purge.bucket = compared.bucket)
FROM (
  SELECT bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM (
    SELECT bucket, class, visits, checksum FROM scope_traffic WHERE scope = 'all' AND scope_id = ''
    UNION ALL
    SELECT bucket, class, -visits, checksum FROM filed_sums
    UNION ALL
    SELECT bucket, class, 0, 0 FROM unattributed_purges
  ) AS part
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz AND bucket < (SELECT kept_from FROM ledger_retention)
  GROUP BY 1, 2
) AS compared
GROUP BY bucket
HAVING bool_and(visits = 0 AND checksum = 0)
