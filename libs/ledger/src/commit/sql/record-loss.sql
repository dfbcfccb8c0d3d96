-- $1 group, $2 topic, $3 partition, $4 owner epoch, $5 next_offset as the owner last saw it, $6 first
-- offset the log still has. No row: fenced, nothing is written. What a group finds gone that never
-- read the topic is not lost as far as another group counted it into this ledger.
WITH moved AS (
  UPDATE consumer_checkpoints
  SET next_offset = $6::bigint, updated_at = now()
  WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND owner_epoch = $4 AND next_offset = $5::bigint
  RETURNING last_record_at
), counted AS (
  SELECT CASE WHEN $5::bigint = 0 THEN coalesce(max(next_offset), 0) ELSE $5::bigint END AS below
  FROM consumer_checkpoints
  WHERE consumer_group <> $1 AND topic = $2 AND partition = $3
), lost AS (
  INSERT INTO lost_offsets (consumer_group, topic, partition, from_offset, to_offset, last_record_at)
  SELECT $1, $2, $3, counted.below, $6::bigint, moved.last_record_at
  FROM moved, counted
  WHERE counted.below < $6::bigint
  RETURNING to_offset - from_offset AS records
)
SELECT coalesce((SELECT records FROM lost), 0)::text AS lost FROM moved
