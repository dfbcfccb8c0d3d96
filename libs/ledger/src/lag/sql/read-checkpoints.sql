SELECT partition, next_offset, last_record_at,
       coalesce((SELECT sum(lost.to_offset - lost.from_offset) FROM lost_offsets AS lost
                 WHERE (lost.consumer_group, lost.topic, lost.partition)
                     = (checkpoint.consumer_group, checkpoint.topic, checkpoint.partition)), 0)::text AS lost
FROM consumer_checkpoints AS checkpoint
WHERE consumer_group = $1 AND topic = $2
