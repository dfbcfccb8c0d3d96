-- $1 slot that no commit adds to.
INSERT INTO scope_traffic AS traffic (scope, scope_id, bucket, class, slot_id, visits, checksum)
SELECT 'group', name, bucket, class, $1::smallint, visits, checksum
FROM missing_sums WHERE kind IS NULL
ORDER BY name, bucket, class
ON CONFLICT (scope, scope_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
