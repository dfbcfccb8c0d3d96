-- $1 and $2 start and end of the day.
SELECT coalesce(sum(visits), 0)::float8 AS visits, coalesce(bit_xor(checksum), 0)::text AS checksum
FROM scope_traffic
WHERE scope = 'all' AND scope_id = '' AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
