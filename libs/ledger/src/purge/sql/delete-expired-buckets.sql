-- $1 link, $2 instant. Where the ledger was dropped, buckets are all there is of a visit. One that the
-- instant cuts in two stays: nobody can tell its halves apart any more. Groups and hosts of what goes are known to files alone, so their
-- sums keep it, and unattributed_purges says so, until files are without it (see filed-sums).
WITH gone AS (
  DELETE FROM link_traffic
  WHERE link_id = $1
    AND bucket < (SELECT kept_from FROM ledger_retention)
    AND bucket + interval '15 minutes' <= $2::timestamptz
  RETURNING bucket, class, visits, checksum
), noted AS (
  INSERT INTO unattributed_purges (bucket, class, visits, checksum)
  SELECT bucket, class, sum(visits), bit_xor(checksum) FROM gone GROUP BY 1, 2 HAVING (sum(visits), bit_xor(checksum)) <> (0, 0) ORDER BY 1, 2
)
SELECT bucket, class, NULL AS "groupId", visits::integer AS visits, checksum::text AS checksum
FROM gone
