-- $1 group, $2 topic; null: all of them.
SELECT coalesce(sum(to_offset - from_offset), 0)::float8 AS records, max(found_at) AS found_at
FROM lost_offsets
WHERE ($1::text IS NULL OR consumer_group = $1) AND ($2::text IS NULL OR topic = $2)
