-- $1 links, $2 and $3 a day, $4 buckets a page at least. Where the buckets of a link in that day lie on more pages than that they
-- are written anew, one after the other. What a commit adds to a row just taken makes it anew, so sums are right in any case.
WITH own AS MATERIALIZED (
  SELECT link_id, bucket, class, slot_id, (ctid::text::point)[0] AS page
  FROM link_traffic
  WHERE link_id = ANY ($1::bigint[]) AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
    AND bucket >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
  ORDER BY link_id, bucket, class, slot_id
  FOR UPDATE SKIP LOCKED
), spread AS (
  SELECT link_id FROM own GROUP BY link_id HAVING count(*) < $4::integer * (count(DISTINCT page) - 1)
), taken AS (
  DELETE FROM link_traffic AS traffic
  USING own JOIN spread USING (link_id)
  WHERE traffic.link_id = own.link_id AND traffic.bucket = own.bucket AND traffic.class = own.class
    AND traffic.slot_id = own.slot_id
  RETURNING traffic.*
), gathered AS (
  INSERT INTO link_traffic AS traffic (link_id, bucket, class, slot_id, visits, checksum)
  SELECT link_id, bucket, class, slot_id, visits, checksum FROM taken ORDER BY link_id, bucket, class, slot_id
  ON CONFLICT (link_id, bucket, class, slot_id) DO UPDATE
  SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
)
SELECT count(*)::integer AS rows FROM taken
