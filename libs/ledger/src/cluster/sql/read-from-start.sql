-- $1 topic[], $2 partition[], $3 first offset of the log[] (parallel), of the cluster that is read from now on. What it does
-- not have starts at 0. Whoever counts by offsets of the cluster before finds another epoch.
UPDATE consumer_checkpoints AS checkpoint
SET next_offset = coalesce(
      (SELECT log.low FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS log (topic, partition, low)
       WHERE log.topic = checkpoint.topic AND log.partition = checkpoint.partition),
      0),
    last_record_at = NULL,
    owner_epoch = owner_epoch + 1,
    updated_at = now()
