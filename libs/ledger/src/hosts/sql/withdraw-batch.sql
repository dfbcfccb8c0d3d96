-- $1 stream, $2 key. A batch that is not counted yet never will be: its record finds it settled, whenever it comes. None of its names becomes known.
WITH withdrawn AS (
  UPDATE host_batches SET settled_at = date_trunc('milliseconds', clock_timestamp()), refusal = 'withdrawn'
  WHERE stream = $1 AND key = $2 AND settled_at IS NULL
  RETURNING (accepted_at AT TIME ZONE 'UTC')::date AS day, new_names
)
UPDATE host_feed_days AS fed SET new_names = fed.new_names - withdrawn.new_names
FROM withdrawn WHERE fed.stream = $1 AND fed.day = withdrawn.day
