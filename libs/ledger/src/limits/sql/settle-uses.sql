-- Arrays: event id, link, kind of what a batch met: 'counted', 'apart' (counted, but takes no use), 'purged' (kept out).
-- Open uses of these visits end; what they used stays used. A visit that was counted without one (decided by a gateway
-- that did not know of the limit) uses the link all the same. No row of link_limits is touched by visits that had a use.
WITH met AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS met (event_id, link_id, kind)
), settled AS (
  DELETE FROM link_uses USING met
  WHERE link_uses.event_id = met.event_id AND link_uses.link_id = met.link_id
  RETURNING link_uses.event_id
), sums AS (
  SELECT met.link_id,
    count(*) FILTER (WHERE met.kind = 'counted' AND settled.event_id IS NULL) AS late,
    count(*) FILTER (WHERE met.kind = 'apart' AND settled.event_id IS NULL) AS apart,
    count(*) FILTER (WHERE met.kind = 'purged' AND settled.event_id IS NOT NULL) AS purged
  FROM met LEFT JOIN settled USING (event_id)
  GROUP BY met.link_id
), changed AS (
  SELECT limits.link_id FROM link_limits AS limits
  WHERE limits.link_id IN (SELECT link_id FROM sums WHERE late + apart + purged > 0)
  ORDER BY limits.link_id
  FOR UPDATE
)
UPDATE link_limits AS limits
SET used = limits.used + sums.late, late = limits.late + sums.late, apart = limits.apart + sums.apart,
  purged = limits.purged + sums.purged
FROM changed JOIN sums USING (link_id)
WHERE limits.link_id = changed.link_id
