-- $1 event ids: visits that were never made, nor ever will be. Again changes nothing: a use goes once.
WITH gone AS (
  DELETE FROM link_uses WHERE event_id = ANY ($1::uuid[]) RETURNING link_id
), sums AS (
  SELECT link_id, count(*) AS uses FROM gone GROUP BY link_id
), changed AS (
  SELECT link_id FROM link_limits WHERE link_id IN (SELECT link_id FROM sums) ORDER BY link_id FOR UPDATE
)
UPDATE link_limits AS limits SET used = limits.used - sums.uses
FROM changed JOIN sums USING (link_id)
WHERE limits.link_id = changed.link_id
