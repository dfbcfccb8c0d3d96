-- $1 link, $2 unit, $3 start, $4 end. No row: the ledger does not have what the buckets say, so nothing
-- is written (and the reader goes on reading the ledger). Sets are sorted and hold each id once.
WITH visit AS MATERIALIZED (
  SELECT event_id, visitor, ip, enrichment_version
  FROM visits
  WHERE link_id = $1 AND occurred_at >= $3::timestamptz AND occurred_at < $4::timestamptz
), ledger AS (
  SELECT count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum, max(enrichment_version) AS enrichment_version
  FROM visit
), traffic AS (
  SELECT sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic
  WHERE link_id = $1 AND bucket >= $3::timestamptz AND bucket < $4::timestamptz
)
INSERT INTO link_folds (link_id, unit, unit_start, unit_end, visits, checksum, visitors, ips, enrichment_version)
SELECT
  $1, $2, $3::timestamptz, $4::timestamptz, ledger.visits, ledger.checksum,
  ARRAY(SELECT DISTINCT visitor FROM visit WHERE visitor IS NOT NULL ORDER BY visitor),
  ARRAY(SELECT DISTINCT ip FROM visit WHERE ip IS NOT NULL ORDER BY ip),
  ledger.enrichment_version
FROM ledger CROSS JOIN traffic
WHERE (ledger.visits, ledger.checksum) = (traffic.visits, traffic.checksum)
ON CONFLICT (link_id, unit, unit_start) DO UPDATE SET
  unit_end = excluded.unit_end, visits = excluded.visits, checksum = excluded.checksum,
  visitors = excluded.visitors, ips = excluded.ips,
  enrichment_version = excluded.enrichment_version, folded_at = now()
RETURNING visits::float8 AS visits
