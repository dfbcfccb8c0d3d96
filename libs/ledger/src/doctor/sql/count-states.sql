-- $1 topic, $2 partition[], $3 first offset[] still in the log (parallel): letters somebody has dealt with.
SELECT count(*)::integer AS settled
FROM dead_letter_states AS known
JOIN unnest($2::integer[], $3::bigint[]) AS log (partition, low)
  ON known.partition = log.partition AND known.letter_offset >= log.low
WHERE known.topic = $1
