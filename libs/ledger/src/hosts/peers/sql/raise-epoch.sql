-- $1 epoch, $2 end of the topic, which lost some of what was published: all is said again.
UPDATE host_datacenter
SET epoch = greatest(epoch + 1, extract(epoch FROM now())::bigint), is_whole = false, marked_host = 0, next_offset = $2
WHERE epoch = $1
RETURNING epoch::float8 AS epoch
