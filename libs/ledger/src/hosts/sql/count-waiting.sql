-- Changes that are not folded: how many, the first and the last, and when that was; whether sums with them are right, as far as
-- is known.
SELECT count(*)::integer AS waiting, min(id)::text AS first, max(id)::text AS last, statement_timestamp()::text AS at,
  own_host_sums_are_exact() AS "isAttributed"
FROM host_changes WHERE folded_at IS NULL
