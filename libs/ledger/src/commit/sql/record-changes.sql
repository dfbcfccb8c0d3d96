-- $1 links of the batch. $2 whether somebody may follow its visits (imported ones are nothing to follow); nobody does: the feed
-- has no row. $3 those of the staged visits that are new; null: all.
WITH fed AS (
  INSERT INTO visit_feed (event_ids, link_ids)
  SELECT visits.event_ids, visits.link_ids
  FROM visit_feed_state, LATERAL (
    SELECT array_agg(event_id) AS event_ids, array_agg(link_id::bigint) AS link_ids FROM staged_visits_1
    WHERE $3::uuid[] IS NULL OR event_id = ANY ($3)
  ) AS visits
  WHERE wanted_until > now() AND $2
)
INSERT INTO link_changes (link_ids) VALUES ($1::bigint[])
