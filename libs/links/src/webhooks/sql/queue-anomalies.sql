-- $1 start of a window, $2 its seconds, $3 classes, $4 fewest visits, $5 times the mean, $6 times the usual day's busiest window,
-- $7 days to compare with at most, $8 links at most, $9 epoch of link ids (ms).
WITH hearing AS MATERIALIZED (
  SELECT id FROM webhooks
  WHERE enabled AND 'link.anomaly' = ANY (events) AND webhook_has_room(id)
    AND created_at < $1::timestamptz + make_interval(secs => $2::integer)
  ORDER BY id
  FOR KEY SHARE
), busy AS MATERIALIZED (
  -- Without anybody who hears of it nothing is read. Those that were told take no place of others.
  SELECT link_id, sum(visits)::bigint AS visits
  FROM link_traffic
  WHERE bucket = $1::timestamptz AND class = ANY ($3::smallint[]) AND EXISTS (SELECT FROM hearing)
    AND NOT EXISTS (SELECT FROM link_anomalies WHERE link_anomalies.link_id = link_traffic.link_id)
  GROUP BY link_id
  HAVING sum(visits) >= $4::bigint
  ORDER BY 2 DESC, 1
  LIMIT $8
), known AS (
  -- An imported link is as old as its id: what it had elsewhere before is no silence.
  SELECT busy.link_id, busy.visits, least($7::integer, floor(extract(epoch FROM $1::timestamptz - greatest(
      links.created_at, links.purged_before, to_timestamp(($9::bigint + (links.id >> 22)) / 1000.0)
    )) / 86400))::integer AS days
  FROM busy JOIN links ON links.id = busy.link_id
  WHERE links.deleted_at IS NULL
), compared AS (
  SELECT known.*, usual.mean, usual.peak
  FROM known
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(day.visits), 0) * $2::integer / (86400 * known.days) AS mean,
      -- The upper median: one day's surge does not hide the next, and every day's hour of mail is usual.
      percentile_disc(0.5) WITHIN GROUP (ORDER BY coalesce(day.busiest, 0) DESC)::bigint AS peak
    FROM generate_series(1, known.days) AS ago
    CROSS JOIN LATERAL (
      SELECT sum(visits) AS visits, max(visits) AS busiest
      FROM (
        SELECT sum(visits) AS visits FROM link_traffic
        WHERE link_id = known.link_id AND class = ANY ($3::smallint[])
          AND bucket >= $1::timestamptz - ago * interval '24 hours' AND bucket < $1::timestamptz - (ago - 1) * interval '24 hours'
        GROUP BY bucket
      ) AS windows
    ) AS day
  ) AS usual
  WHERE known.days >= 1
), told AS (
  INSERT INTO link_anomalies (link_id, window_start)
  SELECT link_id, $1::timestamptz FROM compared WHERE visits >= $5::numeric * mean AND visits >= $6::numeric * peak
  ON CONFLICT DO NOTHING
  RETURNING link_id
), queued AS (
  INSERT INTO webhook_events (webhook_id, event_id, body)
  SELECT hearing.id, event.id, event.body
  FROM (
    -- The same id whenever this is done again, from a restored database, too.
    SELECT md5('link.anomaly ' || link_id || ' ' || extract(epoch FROM $1::timestamptz)::bigint)::uuid AS id,
      json_build_object('type', 'link.anomaly', 'timestamp', body -> 'timestamp', 'data', json_build_object(
        'shortUrl', body -> 'data' -> 'shortUrl',
        'windowStart', to_char($1::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'windowSeconds', $2::integer,
        'visits', visits,
        'usualVisits', round(mean, 2),
        'usualBusiestWindow', peak,
        'factor', round(visits / nullif(mean, 0), 1),
        'comparedDays', days
      ))::text AS body
    FROM told
    JOIN compared USING (link_id)
    CROSS JOIN LATERAL (SELECT webhook_body('link.anomaly', link_id, NULL)::json AS body) AS plain
    WHERE body IS NOT NULL
  ) AS event
  CROSS JOIN hearing
  ON CONFLICT DO NOTHING
)
SELECT count(*)::integer AS told FROM told
