-- $1 link, $2 instant, $3 how many at most. Takes the oldest visits before the instant out of the ledger,
-- leaving their ids in purged_visits (but of imported ones, which no source speaks of); answers what each bucket, class and
-- group loses. Rows another purge takes are waited for and left to it.
WITH doomed AS MATERIALIZED (
  SELECT occurred_at, event_id FROM visits
  WHERE link_id = $1 AND occurred_at < $2::timestamptz
  ORDER BY occurred_at, event_id
  LIMIT $3
  FOR UPDATE
), gone AS (
  DELETE FROM visits USING doomed
  WHERE visits.occurred_at = doomed.occurred_at AND visits.event_id = doomed.event_id
    AND visits.occurred_at < $2::timestamptz
  RETURNING visits.occurred_at, visits.event_id, visits.link_id, visits.class, visits.group_id, visits.source,
    visits.imported_from
), remembered AS (
  INSERT INTO purged_visits (occurred_at, event_id, link_id, source)
  SELECT occurred_at, event_id, link_id, source FROM gone WHERE imported_from IS NULL ORDER BY occurred_at, event_id
  ON CONFLICT DO NOTHING
)
SELECT date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class,
  coalesce(group_id, '') AS "groupId", count(*)::integer AS visits, bit_xor(event_checksum(event_id))::text AS checksum
FROM gone
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
