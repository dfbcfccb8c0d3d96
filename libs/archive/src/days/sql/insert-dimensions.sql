-- $1 start of the day; parallel arrays: scope, scope_id, dimension, place, value, values, and visits by class.
INSERT INTO day_aggregate_dimensions (
  day_start, scope, scope_id, dimension, place, value, "values", human, bot, preview, prefetch, opted_out
)
SELECT $1::timestamptz, *
FROM unnest(
  $2::text[], $3::text[], $4::text[], $5::smallint[], $6::text[], $7::integer[],
  $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[]
)
