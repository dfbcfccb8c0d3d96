-- $1 link, $2 instant. Where the ledger was dropped, buckets are all there is of a visit. One that the
-- instant cuts in two stays: nobody can tell its halves apart any more. Nor does anybody know their groups: the
-- link's of now is most likely to be it. Of which hosts they were is not known either: '~unknown' loses them, if need be more than it has.
WITH gone AS (
  DELETE FROM link_traffic
  WHERE link_id = $1
    AND bucket < (SELECT kept_from FROM ledger_retention)
    AND bucket + interval '15 minutes' <= $2::timestamptz
  RETURNING bucket, class, visits, checksum
), of_hosts AS (
  INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT array_agg(kind), array_agg(host), array_agg((extract(epoch FROM bucket) / 10)::integer), array_agg(class),
    array_agg(greatest(-visits, 0)), array_agg(greatest(visits, 0)), array_agg(checksum)
  FROM (
    SELECT kind, host, bucket, class, visits, checksum, (row_number() OVER (ORDER BY bucket) - 1) / 20000 AS part
    FROM gone, visit_hosts(NULL, NULL, NULL)
  ) AS loss
  GROUP BY part
)
SELECT bucket, class, coalesce((SELECT group_id FROM links WHERE id = $1), '') AS "groupId", visits::integer AS visits, checksum::text AS checksum
FROM gone
