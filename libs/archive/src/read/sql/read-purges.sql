-- $1 after which instant, $2 links (null: all), $3 before it only files have visits. Purges of links; `visits` and `checksum`: what
-- the bucket says that the purge cuts in two, where only files have its visits.
SELECT coalesce(array_agg(link.id), '{}') AS link_ids, coalesce(array_agg(link.purged_before), '{}') AS marks,
  coalesce(array_agg(cut.visits), '{}') AS visits, coalesce(array_agg(cut.checksum), '{}') AS checksums
FROM (
  SELECT id, purged_before, date_bin('15 minutes', purged_before, '2000-01-01 00:00:00+00') AS bucket
  FROM links WHERE purged_before > $1::timestamptz AND ($2::bigint[] IS NULL OR id = ANY ($2))
) AS link
LEFT JOIN LATERAL (
  SELECT sum(traffic.visits)::text AS visits, bit_xor(traffic.checksum)::text AS checksum
  FROM link_traffic AS traffic WHERE traffic.link_id = link.id AND traffic.bucket = link.bucket
) AS cut ON link.purged_before < $3::timestamptz AND link.purged_before > link.bucket
