-- Arrays in key order: link_id, bucket, class, slot_id, visits, checksum.
INSERT INTO link_traffic AS traffic (link_id, bucket, class, slot_id, visits, checksum)
SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bigint[])
ON CONFLICT (link_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
