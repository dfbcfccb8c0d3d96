-- $1 instant from which rows beside the ledger are whole, $2 how many differences at most. Settled reports against
-- what is accounted for now, and counted minutes a process passed over although it spoke later.
WITH accounted AS (
  SELECT source, minute, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM (
    SELECT source, minute, visits, checksum FROM source_traffic WHERE minute >= $1::timestamptz
    UNION ALL
    SELECT source, date_trunc('minute', occurred_at), 1, event_checksum(event_id)
    FROM refused_visits AS visit
    WHERE occurred_at >= $1 AND NOT EXISTS (
      SELECT FROM visits AS counted
      WHERE counted.occurred_at = visit.occurred_at AND counted.event_id = visit.event_id
      UNION ALL
      SELECT FROM purged_visits AS purged
      WHERE purged.occurred_at = visit.occurred_at AND purged.event_id = visit.event_id
    )
  ) AS visit
  GROUP BY source, minute
)
SELECT audit.source, audit.minute,
  jsonb_build_object('visits', audit.visits, 'checksum', audit.checksum::text) AS expected,
  jsonb_build_object('visits', coalesce(accounted.visits, 0), 'checksum', coalesce(accounted.checksum, 0)::text) AS actual
FROM source_audits AS audit
LEFT JOIN accounted ON accounted.source = audit.source AND accounted.minute = audit.minute
WHERE audit.minute >= $1 AND audit.status IS NOT NULL
  AND (audit.visits, audit.checksum) IS DISTINCT FROM (coalesce(accounted.visits, 0), coalesce(accounted.checksum, 0))
  AND NOT (coalesce(accounted.visits, 0) > audit.visits AND accounted.visits <= audit.visits + audit.in_doubt)
UNION ALL
SELECT traffic.source, traffic.minute, '"no report"'::jsonb,
  jsonb_build_object('visits', traffic.visits, 'checksum', traffic.checksum::text)
FROM (
  SELECT source, minute, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM source_traffic WHERE minute >= $1 GROUP BY 1, 2
) AS traffic
WHERE NOT EXISTS (
    SELECT FROM source_audits AS audit WHERE audit.source = traffic.source AND audit.minute = traffic.minute
  )
  AND EXISTS (
    SELECT FROM source_audits AS later
    WHERE later.source = traffic.source AND (later.minute > traffic.minute OR later.final) AND later.status IS NOT NULL
  )
LIMIT $2
