-- $1 link, $2 occurred_at[], $3 event_id[]. Takes these visits out of the ledger as a purge does (see its
-- delete-visits.sql): ids stay in purged_visits, what each bucket, class and group loses is answered.
WITH doomed AS MATERIALIZED (
  SELECT visit.occurred_at, visit.event_id
  FROM unnest($2::timestamptz[], $3::uuid[]) AS given (occurred_at, event_id)
  JOIN visits AS visit ON visit.occurred_at = given.occurred_at AND visit.event_id = given.event_id
  WHERE visit.link_id = $1
  ORDER BY visit.occurred_at, visit.event_id
  FOR UPDATE OF visit
), gone AS (
  DELETE FROM visits USING doomed
  WHERE visits.occurred_at = doomed.occurred_at AND visits.event_id = doomed.event_id
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
