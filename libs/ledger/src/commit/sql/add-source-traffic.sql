-- Arrays in key order: source, minute, visits, checksum.
INSERT INTO source_traffic AS traffic (source, minute, visits, checksum)
SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::bigint[])
ON CONFLICT (source, minute) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
