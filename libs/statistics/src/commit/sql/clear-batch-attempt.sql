-- $1 group, $2 topic, $3 partition, $4 owner
DELETE FROM batch_attempts WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND owner = $4
