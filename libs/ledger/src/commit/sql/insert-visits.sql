-- The decision, of the visits that stage-visits.sql brought: a row that goes in was not counted before and is counted now; one
-- that does not was counted already or was purged. Answers how many went in, their ids where some did not, and the group of
-- each link that has one: the link's of this statement's snapshot, never the event's. Rows go in in key order, so that two
-- batches with the same events wait for each other instead of deadlocking.
-- Nor do visits of people who were erased come in (that there are none is looked at once for all visits).
-- $1: how many there are. $2: where all of them were imported from; null: they are our own. What was purged here, of whichever
-- link, no import brings back.
WITH inserted AS (
  INSERT INTO visits (
    occurred_at, event_id, link_id, visitor, ip, class, enrichment_version, latitude, longitude, client_ip,
    group_id, country, region, city, os, os_version, browser, browser_version, device, network,
    referrer_host, language, referrer, user_agent, destination, utm, truncated, source, route, imported_from,
    channel, class_reason, target_host, short_host
  )
  SELECT
    visit.occurred_at, visit.event_id, visit.link_id::bigint, visit.visitor::bigint, visit.ip::bigint, visit.class,
    visit.enrichment_version, visit.latitude, visit.longitude, visit.client_ip::inet, link.group_id, visit.country,
    visit.region, visit.city, visit.os, visit.os_version, visit.browser, visit.browser_version, visit.device, visit.network,
    visit.referrer_host, visit.language, visit.referrer, visit.user_agent, visit.destination, visit.utm::jsonb,
    string_to_array(visit.truncated, ','), visit.source, visit.route, $2::text, visit.channel, visit.class_reason,
    visit.target_host, visit.short_host
  FROM staged_visits_1 AS visit
  LEFT JOIN links AS link ON link.id = visit.link_id::bigint
  WHERE (link.purged_before IS NULL OR visit.occurred_at >= link.purged_before)
    AND NOT (EXISTS (SELECT FROM erasures) AND (
      EXISTS (
        SELECT FROM erasures AS erased
        WHERE erased.person = 'visitor' AND erased.hash = visit.visitor::bigint
          AND visit.occurred_at >= erased.occurred_from AND visit.occurred_at < erased.occurred_before
      ) OR EXISTS (
        SELECT FROM erasures AS erased
        WHERE erased.person = 'ip' AND erased.hash = visit.ip::bigint
          AND visit.occurred_at >= erased.occurred_from AND visit.occurred_at < erased.occurred_before
      )
    ))
    AND ($2 IS NULL OR NOT EXISTS (
      SELECT FROM purged_visits AS purged
      WHERE purged.occurred_at = visit.occurred_at AND purged.event_id = visit.event_id
    ))
  ORDER BY visit.occurred_at, visit.event_id
  ON CONFLICT DO NOTHING
  RETURNING event_id, link_id, group_id
)
SELECT
  count(*)::integer AS count,
  CASE WHEN count(*) < $1::integer THEN array_agg(event_id::text) END AS ids,
  (
    SELECT json_object_agg(link_id, group_id)
    FROM (SELECT DISTINCT link_id, group_id FROM inserted WHERE group_id IS NOT NULL) AS grouped
  ) AS groups
FROM inserted
