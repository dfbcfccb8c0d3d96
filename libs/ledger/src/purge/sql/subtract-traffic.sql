-- $1 link; parallel arrays: bucket, class (in several groups), visits, checksum to take away. All slots of these buckets become
-- one row that says what is left, none if nothing is. A row a commit is adding to is waited for and taken as
-- that commit leaves it; what one adds to a row just taken makes it anew. So sums are right in any case.
WITH minus AS (
  SELECT * FROM unnest($2::timestamptz[], $3::smallint[], $4::bigint[], $5::bigint[]) AS loss (bucket, class, visits, checksum)
), taken AS (
  DELETE FROM link_traffic AS traffic
  USING minus
  WHERE traffic.link_id = $1 AND traffic.bucket = minus.bucket AND traffic.class = minus.class
  RETURNING traffic.bucket, traffic.class, traffic.visits, traffic.checksum
), rest AS (
  SELECT bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM (SELECT * FROM taken UNION ALL SELECT bucket, class, -visits, checksum FROM minus) AS part
  GROUP BY bucket, class
  ORDER BY bucket, class
)
INSERT INTO link_traffic AS traffic (link_id, bucket, class, slot_id, visits, checksum)
SELECT $1::bigint, bucket, class, 0, visits, checksum FROM rest WHERE (visits, checksum) <> (0, 0)
ON CONFLICT (link_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
