-- $1: reports received up to then, all of whose visits the consumers have passed. A visit is accounted
-- for when it is in source_traffic or in a dead letter (and was not counted from there after all; source_traffic holds purged visits, too).
-- Only what was found wrong is looked at again: a redriven dead letter may mend it.
-- Where the ledger was dropped nobody can tell any more what was counted: those minutes stay as they are.
WITH compared AS (
  SELECT audit.source, audit.minute, audit.in_doubt,
    audit.visits - coalesce(traffic.visits, 0) - refused.visits AS missing,
    audit.checksum # coalesce(traffic.checksum, 0) # coalesce(refused.checksum, 0) AS residue
  FROM source_audits AS audit
  CROSS JOIN LATERAL (
    SELECT sum(visits) AS visits, bit_xor(checksum) AS checksum
    FROM source_traffic WHERE source = audit.source AND minute = audit.minute
  ) AS traffic
  CROSS JOIN LATERAL (
    SELECT count(*) AS visits, bit_xor(event_checksum(visit.event_id)) AS checksum
    FROM refused_visits AS visit
    WHERE visit.source = audit.source
      AND visit.occurred_at >= audit.minute AND visit.occurred_at < audit.minute + interval '1 minute'
      AND NOT EXISTS (
        SELECT FROM visits AS counted
        WHERE counted.occurred_at = visit.occurred_at AND counted.event_id = visit.event_id
        UNION ALL
        SELECT FROM purged_visits AS purged
        WHERE purged.occurred_at = visit.occurred_at AND purged.event_id = visit.event_id
      )
  ) AS refused
  WHERE (audit.status IS NULL OR audit.status IN ('missing', 'surplus')) AND audit.received_at <= $1
    AND audit.minute >= coalesce((SELECT greatest(kept_from, audited_from) FROM ledger_retention), '-infinity')
)
UPDATE source_audits AS audit
SET missing = compared.missing,
    status = CASE
      WHEN compared.missing = 0 AND compared.residue = 0 THEN 'equal'
      WHEN compared.missing < 0 AND -compared.missing <= compared.in_doubt THEN 'in-doubt'
      WHEN compared.missing < 0 THEN 'surplus'
      ELSE 'missing'
    END
FROM compared
WHERE audit.source = compared.source AND audit.minute = compared.minute
