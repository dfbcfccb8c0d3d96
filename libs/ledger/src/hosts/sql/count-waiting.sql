-- Changes that are not folded: how many, the first and the last, and when that was.
SELECT count(*)::integer AS waiting, min(id)::text AS first, max(id)::text AS last, statement_timestamp()::text AS at
FROM host_changes WHERE folded_at IS NULL
