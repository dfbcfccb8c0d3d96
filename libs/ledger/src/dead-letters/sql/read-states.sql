-- $1 topic, $2 partition[], $3 offset[], $4 appended_at[] (parallel): what became of these letters.
SELECT known.partition, known.letter_offset, known.state
FROM unnest($2::integer[], $3::bigint[], $4::timestamptz[]) AS letter (partition, letter_offset, appended_at)
JOIN dead_letter_states AS known
  ON known.topic = $1 AND known.partition = letter.partition AND known.letter_offset = letter.letter_offset
  AND known.appended_at = letter.appended_at
