-- $1 and $2 start and end of the day; parallel arrays: scope, scope_id, class, visits, checksum, visitors, ips.
INSERT INTO day_aggregates (day_start, day_end, scope, scope_id, class, visits, checksum, visitors, ips)
SELECT $1::timestamptz, $2::timestamptz, *
FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
