-- First and last minute of anything source_traffic has or should have: visits of the ledger, or purged from it.
WITH scope AS (
  SELECT coalesce((SELECT greatest(kept_from, audited_from) FROM ledger_retention), '-infinity') AS kept_from
)
SELECT
  least(
    (SELECT min(minute) FROM source_traffic WHERE minute >= kept_from),
    (SELECT date_trunc('minute', min(occurred_at)) FROM visits WHERE occurred_at >= kept_from),
    (SELECT date_trunc('minute', min(occurred_at)) FROM purged_visits WHERE occurred_at >= kept_from)
  ) AS first,
  greatest(
    (SELECT max(minute) FROM source_traffic),
    (SELECT max(occurred_at) FROM visits),
    (SELECT max(occurred_at) FROM purged_visits)
  ) AS last
FROM scope
