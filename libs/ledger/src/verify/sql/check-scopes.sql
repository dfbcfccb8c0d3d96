-- $1 instant from which the ledger is whole, $2 from, $3 to, $4 how many differences at most. Sums of the slots of scope_traffic, both
-- ways: all links and domains against the buckets of the links, groups against the ledger; where the ledger was
-- dropped, all groups together against the buckets and what was purged there and is not out of them yet.
WITH traffic AS MATERIALIZED (
  SELECT domain_id::text AS domain_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic LEFT JOIN links ON links.id = link_traffic.link_id
  WHERE bucket >= $2::timestamptz AND bucket < $3::timestamptz
  GROUP BY 1, 2, 3
), expected AS (
  SELECT 'all' AS scope, '' AS scope_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM traffic GROUP BY 3, 4
  UNION ALL
  SELECT 'domain', coalesce(domain_id, ''), bucket, class, visits, checksum FROM traffic
  UNION ALL
  SELECT 'group', coalesce(group_id, ''), date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00'), class,
    count(*), bit_xor(event_checksum(event_id))
  FROM visits WHERE occurred_at >= greatest($1::timestamptz, $2) AND occurred_at < $3 GROUP BY 2, 3, 4
  UNION ALL
  SELECT 'groups', '', bucket, class, sum(visits), bit_xor(checksum)
  FROM (
    SELECT bucket, class, visits, checksum FROM traffic
    UNION ALL SELECT bucket, class, visits, checksum FROM unattributed_purges WHERE bucket >= $2 AND bucket < $3
  ) AS all_groups
  WHERE bucket < $1::timestamptz GROUP BY 3, 4
), kept AS (
  SELECT scope, scope_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM scope_traffic WHERE (scope <> 'group' OR bucket >= $1::timestamptz) AND bucket >= $2 AND bucket < $3 GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT 'groups', '', bucket, class, sum(visits), bit_xor(checksum)
  FROM scope_traffic WHERE scope = 'group' AND bucket < $1::timestamptz AND bucket >= $2 AND bucket < $3 GROUP BY 3, 4
)
SELECT
  coalesce(kept.scope, expected.scope) AS scope,
  coalesce(kept.scope_id, expected.scope_id) AS scope_id,
  coalesce(kept.bucket, expected.bucket) AS bucket,
  coalesce(kept.class, expected.class) AS class,
  jsonb_build_object('visits', expected.visits, 'checksum', expected.checksum::text) AS expected,
  jsonb_build_object('visits', kept.visits, 'checksum', kept.checksum::text) AS actual
FROM kept FULL JOIN expected
  ON expected.scope = kept.scope AND expected.scope_id = kept.scope_id
  AND expected.bucket = kept.bucket AND expected.class = kept.class
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(expected.visits, 0), coalesce(expected.checksum, 0))
LIMIT $4
