-- $1 JSON, one object per hour of a hot link; $2 enrichment version. New rows only: commits of one link never wait for each other here.
INSERT INTO link_fold_deltas (
  link_id, hour, visits, checksum, visitors, ips, enrichment_version,
  dimensions, dimension_values, human, bot, preview, prefetch, opted_out
)
SELECT
  link_id, hour, visits, checksum, visitors, ips, $2::smallint,
  dimensions, dimension_values, human, bot, preview, prefetch, opted_out
FROM json_to_recordset($1::json) AS delta (
  link_id bigint, hour timestamptz, visits bigint, checksum bigint, visitors bigint[], ips bigint[],
  dimensions text[], dimension_values text[],
  human bigint[], bot bigint[], preview bigint[], prefetch bigint[], opted_out bigint[]
)
