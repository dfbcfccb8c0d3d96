-- $1 instant from which rows beside the ledger are whole.
SELECT
  count(*) FILTER (WHERE audit.status IS NOT NULL)::float8 AS settled,
  count(*) FILTER (WHERE audit.source IS NOT NULL AND audit.status IS NULL)::float8 AS open,
  count(*) FILTER (WHERE audit.source IS NULL)::float8 AS "unauditedMinutes",
  coalesce(sum(traffic.visits) FILTER (WHERE audit.source IS NULL), 0)::float8 AS "unauditedVisits"
FROM (
  SELECT source, minute, sum(visits) AS visits FROM source_traffic WHERE minute >= $1::timestamptz GROUP BY 1, 2
) AS traffic
FULL JOIN (SELECT * FROM source_audits WHERE minute >= $1::timestamptz) AS audit
  ON audit.source = traffic.source AND audit.minute = traffic.minute
