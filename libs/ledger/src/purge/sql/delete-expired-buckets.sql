-- $1 link, $2 instant. Where the ledger was dropped, buckets are all there is of a visit. One that the
-- instant cuts in two stays: nobody can tell its halves apart any more.
DELETE FROM link_traffic
WHERE link_id = $1
  AND bucket < (SELECT kept_from FROM ledger_retention)
  AND bucket + interval '15 minutes' <= $2::timestamptz
RETURNING bucket, class, visits::integer AS visits, checksum::text AS checksum
