-- $1 instant from which the ledger is whole, $2 how many differences at most. What a source made durable
-- is in the ledger, or was purged from it.
SELECT
  coalesce(kept.source, ledger.source) AS source,
  coalesce(kept.minute, ledger.minute) AS minute,
  jsonb_build_object('visits', ledger.visits, 'checksum', ledger.checksum::text) AS expected,
  jsonb_build_object('visits', kept.visits, 'checksum', kept.checksum::text) AS actual
FROM (SELECT source, minute, visits, checksum FROM source_traffic WHERE minute >= $1::timestamptz) AS kept
FULL JOIN (
  SELECT source, date_trunc('minute', occurred_at) AS minute,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM (
    SELECT source, occurred_at, event_id FROM visits
    UNION ALL
    SELECT source, occurred_at, event_id FROM purged_visits
  ) AS seen
  WHERE occurred_at >= $1::timestamptz
  GROUP BY 1, 2
) AS ledger
  ON ledger.source = kept.source AND ledger.minute = kept.minute
WHERE (kept.visits, kept.checksum) IS DISTINCT FROM (ledger.visits, ledger.checksum)
LIMIT $2
