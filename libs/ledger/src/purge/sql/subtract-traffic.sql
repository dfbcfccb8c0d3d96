-- Parallel arrays: $1 link, $2 bucket, $3 class (of a bucket in several groups), $4 visits, $5 checksum to take away. All
-- slots of these buckets become one row that says what is left, none if nothing is. A row a commit is adding to is waited for
-- and taken as that commit leaves it; what one adds to a row just taken makes it anew. So sums are right in any case.
WITH minus AS (
  SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::smallint[], $4::bigint[], $5::bigint[])
    AS loss (link_id, bucket, class, visits, checksum)
), locked AS MATERIALIZED (
  SELECT traffic.link_id, traffic.bucket, traffic.class, traffic.slot_id
  FROM (SELECT DISTINCT link_id, bucket, class FROM minus) AS loss
  JOIN link_traffic AS traffic
    ON traffic.link_id = loss.link_id AND traffic.bucket = loss.bucket AND traffic.class = loss.class
  ORDER BY traffic.link_id, traffic.bucket, traffic.class, traffic.slot_id
  FOR UPDATE OF traffic
), taken AS (
  DELETE FROM link_traffic AS traffic
  USING locked
  WHERE traffic.link_id = locked.link_id AND traffic.bucket = locked.bucket AND traffic.class = locked.class
    AND traffic.slot_id = locked.slot_id
  RETURNING traffic.link_id, traffic.bucket, traffic.class, traffic.visits, traffic.checksum
), rest AS (
  SELECT link_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM (SELECT * FROM taken UNION ALL SELECT link_id, bucket, class, -visits, checksum FROM minus) AS part
  GROUP BY link_id, bucket, class
  ORDER BY link_id, bucket, class
)
INSERT INTO link_traffic AS traffic (link_id, bucket, class, slot_id, visits, checksum)
SELECT link_id, bucket, class, 0, visits, checksum FROM rest WHERE (visits, checksum) <> (0, 0)
ON CONFLICT (link_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
