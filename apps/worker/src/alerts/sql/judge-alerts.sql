-- $1 a whole quarter of an hour up to which everything is counted, $2 alerts at most, $3 classes. Checks the next window of each alert
-- that is behind, notes how that went, and returns them: `tells` where a condition is newly met. Windows that closed more than a day
-- ago are left out. Nothing but sums is read. The alerts stay locked; another worker takes others.
WITH due AS MATERIALIZED (
  SELECT alerts.*, hook.id AS webhook_id, make_interval(mins => window_minutes) AS span, is_watched,
    CASE WHEN is_watched THEN greatest(looked_until + interval '15 minutes', $1::timestamptz - interval '24 hours') ELSE $1 END AS ends
  FROM alerts
  JOIN webhooks AS hook ON hook.alert_id = alerts.id
  CROSS JOIN LATERAL (SELECT hook.enabled AND alert_is_seen(alerts) AND alert_is_counted(alerts)
    AND alert_may_reach(alerts, hook.url) AS is_watched) AS now
  WHERE looked_until < $1::timestamptz
  ORDER BY looked_until, alerts.id
  LIMIT $2
  FOR NO KEY UPDATE OF alerts SKIP LOCKED
), spans AS MATERIALIZED (
  SELECT id, 0 AS ago, false AS is_week, ends - span AS start FROM due WHERE is_watched
  UNION ALL
  -- By the same clock on the seven days before; a window longer than a day as many whole days before, four times.
  SELECT id, nr, nr * days = 7, ((ends - span) AT TIME ZONE time_zone - make_interval(days => nr * days)) AT TIME ZONE time_zone
  FROM due
  CROSS JOIN LATERAL (SELECT ceil(window_minutes / 1440.0)::integer AS days) AS step
  CROSS JOIN LATERAL generate_series(1, CASE days WHEN 1 THEN 7 ELSE 4 END) AS nr
  WHERE is_watched AND kind IN ('rise', 'drop')
), unfolded AS MATERIALIZED (
  SELECT change.kind, change.host COLLATE "C" AS host, to_timestamp(change.cell / 90 * 900.0) AS bucket, sum(change.p - change.n) AS visits
  FROM host_changes, unnest(kinds, hosts, cells, classes, p, n) AS change (kind, host, cell, class, p, n)
  WHERE folded_at IS NULL AND change.class = ANY ($3::smallint[]) AND EXISTS (SELECT FROM due WHERE subject = 'host')
  GROUP BY 1, 2, 3
), counted AS MATERIALIZED (
  SELECT due.id, spans.ago, spans.is_week, (
      SELECT coalesce(sum(visits), 0)
      FROM (
        SELECT visits FROM link_traffic
        WHERE link_id = due.link_id AND bucket >= spans.start AND bucket < spans.start + due.span AND class = ANY ($3::smallint[])
        UNION ALL
        SELECT visits FROM link_tags JOIN link_traffic USING (link_id)
        WHERE tag_id = due.tag_id AND bucket >= spans.start AND bucket < spans.start + due.span AND class = ANY ($3::smallint[])
        UNION ALL
        SELECT visits FROM scope_traffic
        WHERE scope = due.subject AND scope_id = coalesce(due.group_id, due.domain_id::text, '')
          AND bucket >= spans.start AND bucket < spans.start + due.span AND class = ANY ($3::smallint[])
        UNION ALL
        SELECT p - n
        FROM (
          SELECT id FROM hosts WHERE hosts.kind = due.host_kind AND name = due.host
          UNION ALL
          SELECT id FROM hosts WHERE hosts.kind = due.host_kind AND name > due.host || '.' AND name < due.host || '/'
        ) AS named
        CROSS JOIN LATERAL (
          SELECT p, n FROM host_traffic AS traffic
          WHERE traffic.kind = due.host_kind AND traffic.host_id = named.id
            AND bucket >= spans.start AND bucket < spans.start + due.span AND class = ANY ($3::smallint[])
          UNION ALL
          SELECT p, n FROM quiet_host_buckets AS quiet
          WHERE quiet.host_id = named.id AND last_bucket >= spans.start AND first_bucket < spans.start + due.span
            AND bucket >= spans.start AND bucket < spans.start + due.span AND class = ANY ($3::smallint[])
        ) AS sums
        WHERE due.subject = 'host'
        UNION ALL
        SELECT visits FROM unfolded
        WHERE due.subject = 'host' AND unfolded.kind = due.host_kind AND bucket >= spans.start AND bucket < spans.start + due.span
          AND (unfolded.host = due.host OR unfolded.host > due.host || '.' AND unfolded.host < due.host || '/')
      ) AS parts
    )::float8 AS visits
  FROM due JOIN spans USING (id)
), usual AS (
  -- What is before the first visit that is known says nothing.
  SELECT id, percentile_cont(0.5) WITHIN GROUP (ORDER BY visits) AS middle, max(visits) FILTER (WHERE is_week) AS week_before
  FROM (SELECT *, max(ago) FILTER (WHERE visits > 0) OVER (PARTITION BY id) AS known FROM counted WHERE ago > 0) AS earlier
  WHERE ago <= known
  GROUP BY id
), compared AS (
  SELECT due.*, counted.visits, CASE due.kind
      WHEN 'rise' THEN greatest(usual.middle, usual.week_before, 0)
      WHEN 'drop' THEN coalesce(least(usual.middle, usual.week_before), 0)
    END AS usual_visits,
    -- The next event is one whose window overlaps none that was told.
    coalesce(held_until > ends - span, false) AS is_open
  FROM due
  LEFT JOIN counted ON counted.id = due.id AND counted.ago = 0
  LEFT JOIN usual ON usual.id = due.id
), judged AS MATERIALIZED (
  SELECT compared.*, is_watched AND CASE kind
      WHEN 'rise' THEN visits >= threshold AND visits >= factor * usual_visits
      WHEN 'drop' THEN usual_visits >= threshold AND visits * factor <= usual_visits
      WHEN 'above' THEN visits >= threshold
      -- What began in the middle of the window was not quiet in it.
      WHEN 'below' THEN visits < threshold AND created_at <= ends - span
    END AS holds
  FROM compared
), moved AS (
  UPDATE alerts
  SET looked_until = judged.ends, held_until = CASE WHEN holds THEN judged.ends WHEN is_open AND is_watched THEN judged.held_until END,
    told_at = CASE WHEN holds AND NOT is_open THEN judged.ends ELSE judged.told_at END
  FROM judged
  WHERE alerts.id = judged.id
)
SELECT judged.id, judged.name, judged.kind, subject, channel, webhook_id AS "webhookId", holds AND NOT is_open AS tells,
  ends - span AS "windowStart", ends AS "windowEnd", visits, usual_visits AS "usualVisits", threshold::float8, factor,
  time_zone AS "timeZone", host, CASE subject
    WHEN 'link' THEN (SELECT authority || '/' || code FROM links JOIN domains ON domains.id = links.domain_id WHERE links.id = judged.link_id)
    WHEN 'tag' THEN (SELECT 'tag ' || tags.name FROM tags WHERE tags.id = judged.tag_id)
    WHEN 'domain' THEN (SELECT authority FROM domains WHERE domains.id = judged.domain_id)
    WHEN 'group' THEN 'group ' || group_id
  END AS of
FROM judged
ORDER BY judged.id
