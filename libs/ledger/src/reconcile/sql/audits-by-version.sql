-- $1: minutes from there on; $2: minutes that ended before it and have no report are no longer expected. The version is
-- the end of a gateway's name (contracts/source-audit.ts), '' of one that has none there.
WITH reports AS (
  SELECT coalesce(substring(source FROM '@([^@]*)$'), '') AS version, count(DISTINCT source) AS sources,
    sum(visits) AS visits,
    coalesce(sum(visits) FILTER (WHERE status IN ('equal', 'in-doubt')), 0) AS settled,
    count(*) FILTER (WHERE status = 'equal') AS equal,
    count(*) FILTER (WHERE status = 'in-doubt') AS in_doubt,
    count(*) FILTER (WHERE status IN ('missing', 'surplus')) AS different,
    count(*) FILTER (WHERE status IS NULL) AS open,
    coalesce(sum(missing) FILTER (WHERE status = 'missing'), 0) AS missing,
    coalesce(-sum(missing) FILTER (WHERE status = 'surplus'), 0) AS surplus,
    sum(answered) AS answered, sum(refused) AS refused
  FROM source_audits WHERE minute >= $1 GROUP BY 1
), silent AS (
  SELECT coalesce(substring(traffic.source FROM '@([^@]*)$'), '') AS version, traffic.source, traffic.minute,
    sum(traffic.visits) AS visits, EXISTS (
      SELECT FROM source_audits AS later
      WHERE later.source = traffic.source AND (later.minute > traffic.minute OR later.final)
    ) AS spoke_later
  FROM source_traffic AS traffic
  WHERE traffic.minute >= $1 AND NOT EXISTS (
    SELECT FROM source_audits AS audit WHERE audit.source = traffic.source AND audit.minute = traffic.minute
  )
  GROUP BY traffic.source, traffic.minute
), silences AS (
  SELECT version,
    count(*) FILTER (WHERE minute < $2 AND spoke_later) AS unreported,
    count(*) FILTER (WHERE minute < $2 AND NOT spoke_later) AS unaudited,
    coalesce(sum(visits) FILTER (WHERE minute < $2 AND NOT spoke_later), 0) AS unaudited_visits
  FROM silent GROUP BY 1
), letters AS (
  SELECT coalesce(substring(source FROM '@([^@]*)$'), '') AS version, count(*) AS visits
  FROM refused_visits AS visit
  WHERE occurred_at >= $1 AND NOT EXISTS (
    SELECT FROM visits AS counted
    WHERE counted.occurred_at = visit.occurred_at AND counted.event_id = visit.event_id
    UNION ALL
    SELECT FROM purged_visits AS purged
    WHERE purged.occurred_at = visit.occurred_at AND purged.event_id = visit.event_id
  )
  GROUP BY 1
)
SELECT version, coalesce(sources, 0)::float8 AS sources, coalesce(reports.visits, 0)::float8 AS visits,
  coalesce(settled, 0)::float8 AS "settledVisits", coalesce(equal, 0)::float8 AS "equalMinutes",
  coalesce(in_doubt, 0)::float8 AS "inDoubtMinutes", coalesce(different, 0)::float8 AS "differentMinutes",
  coalesce(open, 0)::float8 AS "openMinutes", coalesce(missing, 0)::float8 AS "missingVisits",
  coalesce(surplus, 0)::float8 AS "surplusVisits", coalesce(answered, 0)::float8 AS "answeredVisits",
  coalesce(refused, 0)::float8 AS "refusedVisits", coalesce(unreported, 0)::float8 AS "unreportedMinutes",
  coalesce(unaudited, 0)::float8 AS "unauditedMinutes", coalesce(unaudited_visits, 0)::float8 AS "unauditedVisits",
  coalesce(letters.visits, 0)::float8 AS "deadLetters"
FROM reports FULL JOIN silences USING (version) FULL JOIN letters USING (version)
ORDER BY version
