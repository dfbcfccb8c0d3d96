-- $1/$2 from and to. Adds to source_traffic what it lacks of the ledger between them (see rebuild-traffic.sql).
WITH kept AS (
  SELECT source, minute, visits, checksum
  FROM source_traffic WHERE minute >= $1::timestamptz AND minute < $2::timestamptz
), ledger AS (
  SELECT source, date_trunc('minute', occurred_at) AS minute,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM visits WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
  GROUP BY 1, 2
), missing AS (
  SELECT source, minute,
    coalesce(ledger.visits, 0) - coalesce(kept.visits, 0) AS visits,
    coalesce(ledger.checksum, 0) # coalesce(kept.checksum, 0) AS checksum
  FROM kept FULL JOIN ledger USING (source, minute)
  WHERE (kept.visits, kept.checksum) IS DISTINCT FROM (ledger.visits, ledger.checksum)
)
INSERT INTO source_traffic AS traffic (source, minute, visits, checksum)
SELECT source, minute, visits, checksum FROM missing ORDER BY 1, 2
ON CONFLICT (source, minute) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
RETURNING minute
