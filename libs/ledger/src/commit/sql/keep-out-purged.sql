-- After insert-visits.sql left some of the batch out. Those that are not in the ledger now are kept out by a purge of their link
-- or the erasure of a person; answers how many, and the ids among them that neither has met before: only these are new to
-- source_traffic. What the ledger still holds (a purge is on its way) is a duplicate, no more.
WITH kept_out AS MATERIALIZED (
  SELECT visit.occurred_at, visit.event_id, visit.link_id::bigint AS link_id, visit.source
  FROM staged_visits_1 AS visit
  WHERE NOT EXISTS (
    SELECT FROM visits AS counted
    WHERE counted.occurred_at = visit.occurred_at AND counted.event_id = visit.event_id
  )
), first_met AS (
  INSERT INTO purged_visits (occurred_at, event_id, link_id, source)
  SELECT occurred_at, event_id, link_id, source FROM kept_out ORDER BY occurred_at, event_id
  ON CONFLICT DO NOTHING
  RETURNING event_id
)
SELECT (SELECT count(*) FROM kept_out)::integer AS purged, ARRAY(SELECT event_id::text FROM first_met) AS first_met
