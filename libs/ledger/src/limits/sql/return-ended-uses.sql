-- $1 an instant: all that was published before it is counted; $2 seconds beside that; $3 how many at most. Uses whose visit
-- is not counted although nobody publishes it any more. One that lies in the dead-letter topic was answered: it stays.
WITH ended AS MATERIALIZED (
  SELECT event_id FROM link_uses AS taken
  WHERE ended_at < $1::timestamptz - make_interval(secs => $2)
    AND NOT EXISTS (
      SELECT FROM refused_visits AS refused
      WHERE refused.event_id = taken.event_id AND refused.source = taken.source
    )
  ORDER BY ended_at
  LIMIT $3
  FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM link_uses USING ended WHERE link_uses.event_id = ended.event_id RETURNING link_uses.link_id
), sums AS (
  SELECT link_id, count(*) AS uses FROM gone GROUP BY link_id
), changed AS (
  SELECT link_id FROM link_limits WHERE link_id IN (SELECT link_id FROM sums) ORDER BY link_id FOR UPDATE
), returned AS (
  UPDATE link_limits AS limits SET used = limits.used - sums.uses
  FROM changed JOIN sums USING (link_id)
  WHERE limits.link_id = changed.link_id
)
SELECT coalesce(sum(uses), 0)::integer AS uses FROM sums
