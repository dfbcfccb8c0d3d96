-- Where purges of dropped months can be settled, by month. What ARCHIVE_DAYS removed is in no file any more: such a bucket is settled only once
-- nothing is counted in it, so that its sums have to be nothing, too.
SELECT date_trunc('month', bucket, 'UTC') AS month, min(bucket) AS first, max(bucket) AS last
FROM unattributed_purges AS purge
WHERE bucket < (SELECT kept_from FROM ledger_retention) AND (
  bucket >= coalesce((SELECT archived_from FROM ledger_retention), '-infinity') OR NOT EXISTS (
    SELECT FROM scope_traffic AS traffic
    WHERE scope = 'all' AND scope_id = '' AND traffic.bucket = purge.bucket
    GROUP BY traffic.class HAVING sum(visits) <> 0
  )
)
GROUP BY 1
ORDER BY 1
