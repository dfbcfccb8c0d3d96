-- First and last minute of anything source_traffic has or should have.
WITH scope AS (
  SELECT coalesce((SELECT kept_from FROM ledger_retention), '-infinity') AS kept_from
)
SELECT
  least(
    (SELECT min(minute) FROM source_traffic WHERE minute >= kept_from),
    (SELECT date_trunc('minute', min(occurred_at)) FROM visits WHERE occurred_at >= kept_from)
  ) AS first,
  greatest((SELECT max(minute) FROM source_traffic), (SELECT max(occurred_at) FROM visits)) AS last
FROM scope
