-- $1 an instant: all that was published before it is counted; $2 seconds beside that; $3 how many at most. Uses whose visit
-- is not counted although nobody publishes it any more. One that lies in the dead-letter topic was answered: it stays.
-- One whose visit is counted (or purged) all the same, by a consumer that did not know of uses, is used for good.
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
), looked AS MATERIALIZED (
  SELECT ended.event_id, found.is_counted IS NOT NULL AS is_counted
  FROM ended
  -- `occurred_at` of a visit is the time inside its id, in milliseconds.
  CROSS JOIN LATERAL (
    SELECT timestamptz 'epoch' + interval '1 millisecond'
      * ('x' || lpad(left(replace(ended.event_id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint AS occurred_at
  ) AS made
  LEFT JOIN LATERAL (
    (
      SELECT true AS is_counted FROM visits
      WHERE visits.occurred_at = made.occurred_at AND visits.event_id = ended.event_id
    )
    UNION ALL
    (
      SELECT true FROM purged_visits AS purged
      WHERE purged.occurred_at = made.occurred_at AND purged.event_id = ended.event_id
    )
    LIMIT 1
  ) AS found ON true
), gone AS (
  DELETE FROM link_uses USING looked WHERE link_uses.event_id = looked.event_id
  RETURNING link_uses.link_id, looked.is_counted
), sums AS (
  SELECT link_id, count(*) FILTER (WHERE NOT is_counted) AS uses FROM gone GROUP BY link_id
), changed AS (
  SELECT link_id FROM link_limits
  WHERE link_id IN (SELECT link_id FROM sums WHERE uses > 0)
  ORDER BY link_id
  FOR UPDATE
), returned AS (
  UPDATE link_limits AS limits SET used = limits.used - sums.uses
  FROM changed JOIN sums USING (link_id)
  WHERE limits.link_id = changed.link_id
)
SELECT coalesce(sum(uses), 0)::integer AS uses FROM sums
