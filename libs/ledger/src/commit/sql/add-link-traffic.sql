-- Arrays in key order: link_id, bucket, class, visits, checksum.
INSERT INTO link_traffic AS traffic (link_id, bucket, class, visits, checksum)
SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::smallint[], $4::bigint[], $5::bigint[])
ON CONFLICT (link_id, bucket, class) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
