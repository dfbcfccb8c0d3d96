-- $1 link, $2 hour. No row: the ledger does not have what the buckets say, so nothing is written (and the
-- reader goes on reading the ledger). Sets are sorted and hold each id once.
WITH visit AS MATERIALIZED (
  SELECT event_id, visitor, ip, enrichment_version
  FROM visits
  WHERE link_id = $1 AND occurred_at >= $2::timestamptz AND occurred_at < $2::timestamptz + interval '1 hour'
), ledger AS (
  SELECT count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum, max(enrichment_version) AS enrichment_version
  FROM visit
), traffic AS (
  SELECT sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic
  WHERE link_id = $1 AND bucket >= $2::timestamptz AND bucket < $2::timestamptz + interval '1 hour'
)
INSERT INTO link_folds (link_id, hour, visits, checksum, visitors, ips, enrichment_version)
SELECT
  $1, $2::timestamptz, ledger.visits, ledger.checksum,
  ARRAY(SELECT DISTINCT visitor FROM visit WHERE visitor IS NOT NULL ORDER BY visitor),
  ARRAY(SELECT DISTINCT ip FROM visit WHERE ip IS NOT NULL ORDER BY ip),
  ledger.enrichment_version
FROM ledger CROSS JOIN traffic
WHERE (ledger.visits, ledger.checksum) = (traffic.visits, traffic.checksum)
ON CONFLICT (link_id, hour) DO UPDATE SET
  visits = excluded.visits, checksum = excluded.checksum, visitors = excluded.visitors, ips = excluded.ips,
  enrichment_version = excluded.enrichment_version, folded_at = now()
RETURNING visits::float8 AS visits
