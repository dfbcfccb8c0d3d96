-- $1 instant before which minutes are closed, $2 rows at most.
WITH closed AS (
  SELECT source, minute, slot_id
  FROM source_traffic
  WHERE slot_id > 0 AND minute < $1::timestamptz
  ORDER BY minute, source, slot_id
  LIMIT $2
  FOR UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM source_traffic AS traffic
  USING closed
  WHERE traffic.source = closed.source AND traffic.minute = closed.minute AND traffic.slot_id = closed.slot_id
  RETURNING traffic.source, traffic.minute, traffic.visits, traffic.checksum
), merged AS (
  INSERT INTO source_traffic AS traffic (source, minute, slot_id, visits, checksum)
  SELECT source, minute, 0, sum(visits), bit_xor(checksum)
  FROM taken GROUP BY source, minute ORDER BY 1, 2
  ON CONFLICT (source, minute, slot_id) DO UPDATE
  SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
)
SELECT count(*)::integer AS rows FROM taken
