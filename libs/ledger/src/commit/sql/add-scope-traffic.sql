-- Arrays: scope, scope_id, bucket, class, visits, checksum; $7 slot. In key order, whatever theirs is.
INSERT INTO scope_traffic AS traffic (scope, scope_id, bucket, class, slot_id, visits, checksum)
SELECT scope, scope_id, bucket, class, $7::smallint, visits, checksum
FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::smallint[], $5::bigint[], $6::bigint[])
  AS sum (scope, scope_id, bucket, class, visits, checksum)
ORDER BY scope COLLATE "C", scope_id COLLATE "C", bucket, class
ON CONFLICT (scope, scope_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
