-- $1 topic, $2 partition[], $3 offset[], $4 appended_at[] (parallel), $5 state, $6 action
INSERT INTO dead_letter_states AS known (topic, partition, letter_offset, appended_at, state, action_id)
SELECT $1, letter.partition, letter.letter_offset, letter.appended_at, $5, $6::bigint
FROM unnest($2::integer[], $3::bigint[], $4::timestamptz[]) AS letter (partition, letter_offset, appended_at)
ORDER BY letter.partition, letter.letter_offset
ON CONFLICT (topic, partition, letter_offset) DO UPDATE
SET state = excluded.state, action_id = excluded.action_id, changed_at = now(), appended_at = excluded.appended_at,
    times = CASE WHEN known.appended_at = excluded.appended_at THEN known.times + 1 ELSE 1 END
