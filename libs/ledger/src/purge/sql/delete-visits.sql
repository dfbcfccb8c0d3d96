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
    visits.imported_from, visits.target_host, visits.short_host, visits.referrer_host
), remembered AS (
  INSERT INTO purged_visits (occurred_at, event_id, link_id, source)
  SELECT occurred_at, event_id, link_id, source FROM gone WHERE imported_from IS NULL ORDER BY occurred_at, event_id
  ON CONFLICT DO NOTHING
), of_hosts AS (
  INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT array_agg(kind), array_agg(host), array_agg(cell), array_agg(class), array_agg(0::bigint), array_agg(visits), array_agg(checksum)
  FROM (
    SELECT kind, host, floor(extract(epoch FROM occurred_at) / 10)::integer AS cell, class,
      count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
    FROM gone, visit_hosts(target_host, short_host, referrer_host)
    GROUP BY 1, 2, 3, 4
  ) AS loss
  HAVING count(*) > 0
)
SELECT date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class,
  coalesce(group_id, '') AS "groupId", count(*)::integer AS visits, bit_xor(event_checksum(event_id))::text AS checksum
FROM gone
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
