-- $1 link ids, $2 visits from which an hour and $3 from which a day is folded. Candidates for the folder:
-- each large hour; and of each UTC day with half the visits of a day the first and the last hour, one of
-- which lies in any zone's day that is large enough. The folder leaves out what is folded already.
INSERT INTO fold_candidates AS candidate (link_id, hour)
SELECT link_id, hour
FROM (
  SELECT link_id, hour, visits,
    sum(visits) OVER day AS day_visits, min(hour) OVER day AS first_hour, max(hour) OVER day AS last_hour
  FROM (
    SELECT link_id, date_trunc('hour', bucket) AS hour, sum(visits) AS visits
    FROM link_traffic
    WHERE link_id = ANY ($1::bigint[]) AND bucket >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
    GROUP BY 1, 2
  ) AS hours
  WINDOW day AS (PARTITION BY link_id, date_trunc('day', hour))
) AS visited
WHERE visits >= $2::bigint OR (2 * day_visits >= $3::bigint AND hour IN (first_hour, last_hour))
ORDER BY 1, 2
ON CONFLICT (link_id, hour) DO UPDATE SET hour_due = true WHERE NOT candidate.hour_due
