-- $1 link, $2 instant. Where the ledger was dropped, buckets are all there is of a visit. One that the
-- instant cuts in two stays: nobody can tell its halves apart any more. Nor does anybody know their groups: the
-- link's of now is most likely to be it.
DELETE FROM link_traffic
WHERE link_id = $1
  AND bucket < (SELECT kept_from FROM ledger_retention)
  AND bucket + interval '15 minutes' <= $2::timestamptz
RETURNING bucket, class, coalesce((SELECT group_id FROM links WHERE id = $1), '') AS "groupId", visits::integer AS visits, checksum::text AS checksum
