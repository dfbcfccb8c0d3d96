-- $1 instant before which buckets are closed, $2 rows at most.
WITH closed AS (
  SELECT scope, scope_id, bucket, class, slot_id
  FROM scope_traffic
  WHERE slot_id > 0 AND bucket < $1::timestamptz
  ORDER BY bucket, scope, scope_id, class, slot_id
  LIMIT $2
  FOR UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM scope_traffic AS traffic
  USING closed
  WHERE traffic.scope = closed.scope AND traffic.scope_id = closed.scope_id AND traffic.bucket = closed.bucket
    AND traffic.class = closed.class AND traffic.slot_id = closed.slot_id
  RETURNING traffic.scope, traffic.scope_id, traffic.bucket, traffic.class, traffic.visits, traffic.checksum
), merged AS (
  INSERT INTO scope_traffic AS traffic (scope, scope_id, bucket, class, slot_id, visits, checksum)
  SELECT scope, scope_id, bucket, class, 0, sum(visits), bit_xor(checksum)
  FROM taken GROUP BY scope, scope_id, bucket, class ORDER BY 1, 2, 3, 4
  ON CONFLICT (scope, scope_id, bucket, class, slot_id) DO UPDATE
  SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
)
SELECT count(*)::integer AS rows FROM taken
