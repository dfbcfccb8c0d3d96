-- $1: minutes that ended before it and have no report are no longer expected. Those are looked for in
-- the two days before; hopcount verify looks at all of them.
SELECT
  (SELECT coalesce(sum(missing), 0) FROM source_audits WHERE status = 'missing')::float8 AS "missingVisits",
  (SELECT count(*) FROM source_audits WHERE status IN ('missing', 'surplus'))::float8 AS "differentMinutes",
  (SELECT coalesce(-sum(missing), 0) FROM source_audits WHERE status = 'surplus')::float8 AS "surplusVisits",
  (SELECT count(*) FROM source_audits WHERE status IS NULL)::float8 AS "openMinutes",
  (SELECT coalesce(sum(answered), 0) FROM source_audits WHERE answered > 0 OR missing <> 0)::float8 AS "answeredVisits",
  count(*) FILTER (WHERE silent.spoke_later)::float8 AS "unreportedMinutes",
  count(*) FILTER (WHERE NOT silent.spoke_later)::float8 AS "unauditedMinutes",
  coalesce(sum(silent.visits) FILTER (WHERE NOT silent.spoke_later), 0)::float8 AS "unauditedVisits"
FROM (
  SELECT sum(traffic.visits) AS visits, EXISTS (
    SELECT FROM source_audits AS later
    WHERE later.source = traffic.source AND (later.minute > traffic.minute OR later.final)
  ) AS spoke_later
  FROM source_traffic AS traffic
  WHERE traffic.minute < $1 AND traffic.minute >= $1::timestamptz - interval '2 days' AND NOT EXISTS (
    SELECT FROM source_audits AS audit WHERE audit.source = traffic.source AND audit.minute = traffic.minute
  )
  GROUP BY traffic.source, traffic.minute
) AS silent
