-- $1 group, $2 topic, $3 partition, $4 from, $5 to. No row: another consumer has moved it, or the
-- database was restored to an earlier state; then nothing may be stored.
UPDATE consumer_checkpoints SET next_offset = $5, updated_at = now()
WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND next_offset = $4
