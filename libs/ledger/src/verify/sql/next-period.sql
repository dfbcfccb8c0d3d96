-- $1 from, $2 visits. Where the period ends that begins there (or where the ledger begins) and has about so many visits of all links: whole buckets, one at least.
SELECT coalesce(min(bucket) FILTER (WHERE before >= $2), 'infinity')::text AS until
FROM (
  SELECT bucket, sum(sum(visits)) OVER (ORDER BY bucket) - sum(visits) AS before
  FROM scope_traffic
  WHERE scope = 'all' AND scope_id = '' AND bucket >= greatest($1::timestamptz, (SELECT kept_from FROM ledger_retention))
  GROUP BY bucket
) AS counted
