-- $1 group, $2 topic
SELECT partition, next_offset, attempts, owner FROM batch_attempts WHERE consumer_group = $1 AND topic = $2
