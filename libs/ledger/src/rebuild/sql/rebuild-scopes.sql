-- $1/$2 from and to, $3 slot that no commit adds to. Adds to scope_traffic what it lacks between them, or takes off what
-- it has too much (see rebuild-traffic.sql): of the buckets of the links, and for groups of the ledger. Where the
-- ledger was dropped only files know groups (see filed-sums): there '' takes what all of them together lack, without what was purged and is
-- not out of them yet.
WITH scope AS (
  SELECT coalesce((SELECT kept_from FROM ledger_retention), '-infinity') AS kept_from
), traffic AS MATERIALIZED (
  SELECT domain_id::text AS domain_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic LEFT JOIN links ON links.id = link_traffic.link_id
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz
  GROUP BY 1, 2, 3
), kept AS MATERIALIZED (
  SELECT traffic.scope, scope_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM scope_traffic AS traffic
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz
  GROUP BY 1, 2, 3, 4
), part AS (
  SELECT 'all' AS scope, '' AS scope_id, bucket, class, visits, checksum FROM traffic
  UNION ALL
  SELECT 'domain', coalesce(domain_id, ''), bucket, class, visits, checksum FROM traffic
  UNION ALL
  SELECT 'group', coalesce(group_id, ''), date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00'), class,
    count(*), bit_xor(event_checksum(event_id))
  FROM visits
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz AND occurred_at >= (SELECT kept_from FROM scope)
  GROUP BY 2, 3, 4
  UNION ALL
  SELECT 'group', '', bucket, class, visits, checksum FROM traffic WHERE bucket < (SELECT kept_from FROM scope)
  UNION ALL
  SELECT 'group', '', bucket, class, visits, checksum FROM unattributed_purges
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz AND bucket < (SELECT kept_from FROM scope)
  UNION ALL
  -- So that what groups are said to have there is left to them.
  SELECT 'group', pair.scope_id, bucket, class, pair.factor * visits, checksum
  FROM kept CROSS JOIN LATERAL (VALUES (kept.scope_id, 1), ('', -1)) AS pair (scope_id, factor)
  WHERE kept.scope = 'group' AND bucket < (SELECT kept_from FROM scope)
  UNION ALL
  SELECT kept.scope, scope_id, bucket, class, -visits, checksum FROM kept
), missing AS (
  SELECT part.scope, scope_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM part GROUP BY 1, 2, 3, 4
  HAVING (sum(visits), bit_xor(checksum)) <> (0, 0)
)
INSERT INTO scope_traffic AS traffic (scope, scope_id, bucket, class, slot_id, visits, checksum)
SELECT missing.scope, scope_id, bucket, class, $3::smallint, visits, checksum
FROM missing
ORDER BY missing.scope COLLATE "C", scope_id COLLATE "C", bucket, class
ON CONFLICT (scope, scope_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
RETURNING bucket
