-- $1/$2 from and to. Adds to source_traffic what it lacks of the ledger between them (see rebuild-traffic.sql).
-- What a purge took from the ledger a source made durable all the same. A month may be dropped between two
-- of these: what is before is kept, also where the ledger says nothing of it any more.
WITH scope AS (
  SELECT coalesce((SELECT greatest(kept_from, audited_from) FROM ledger_retention), '-infinity') AS kept_from
), kept AS (
  SELECT source, minute, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM source_traffic
  WHERE minute >= $1::timestamptz AND minute < $2::timestamptz AND minute >= (SELECT kept_from FROM scope)
  GROUP BY 1, 2
), ledger AS (
  SELECT source, date_trunc('minute', occurred_at) AS minute,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM (
    SELECT source, occurred_at, event_id FROM visits WHERE imported_from IS NULL
    UNION ALL
    SELECT source, occurred_at, event_id FROM purged_visits
  ) AS seen
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
    AND occurred_at >= (SELECT kept_from FROM scope)
  GROUP BY 1, 2
), missing AS (
  SELECT source, minute,
    coalesce(ledger.visits, 0) - coalesce(kept.visits, 0) AS visits,
    coalesce(ledger.checksum, 0) # coalesce(kept.checksum, 0) AS checksum
  FROM kept FULL JOIN ledger USING (source, minute)
  WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(ledger.visits, 0), coalesce(ledger.checksum, 0))
)
INSERT INTO source_traffic AS traffic (source, minute, slot_id, visits, checksum)
SELECT source, minute, 0, visits, checksum FROM missing ORDER BY 1, 2
ON CONFLICT (source, minute, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
RETURNING minute
