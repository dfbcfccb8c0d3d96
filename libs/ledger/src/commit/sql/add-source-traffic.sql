-- Arrays in key order: source, minute, visits, checksum; $5 the partition's slot.
INSERT INTO source_traffic AS traffic (source, minute, slot_id, visits, checksum)
SELECT source, minute, $5::smallint, visits, checksum
FROM unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::bigint[]) AS sum (source, minute, visits, checksum)
ON CONFLICT (source, minute, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
