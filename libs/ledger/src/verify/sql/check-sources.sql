-- $1 from (rows beside the ledger are whole there), $2 to, $3 how many differences at most. What a source made durable
-- is in the ledger, or was purged from it. No source made imported visits durable.
SELECT
  coalesce(kept.source, ledger.source) AS source,
  coalesce(kept.minute, ledger.minute) AS minute,
  jsonb_build_object('visits', ledger.visits, 'checksum', ledger.checksum::text) AS expected,
  jsonb_build_object('visits', kept.visits, 'checksum', kept.checksum::text) AS actual
FROM (
  SELECT source, minute, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM source_traffic WHERE minute >= $1::timestamptz AND minute < $2::timestamptz GROUP BY 1, 2
) AS kept
FULL JOIN (
  SELECT source, date_trunc('minute', occurred_at) AS minute,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM (
    SELECT source, occurred_at, event_id FROM visits WHERE imported_from IS NULL
    UNION ALL
    SELECT source, occurred_at, event_id FROM purged_visits
  ) AS seen
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
  GROUP BY 1, 2
) AS ledger
  ON ledger.source = kept.source AND ledger.minute = kept.minute
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(ledger.visits, 0), coalesce(ledger.checksum, 0))
LIMIT $3
