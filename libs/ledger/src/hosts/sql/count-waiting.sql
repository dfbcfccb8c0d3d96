-- Changes that are not folded: how many, the first and the last, and when that was; whether they, and those that are folded, are without all that was
-- purged by then.
SELECT count(*)::integer AS waiting, min(id)::text AS first, max(id)::text AS last, statement_timestamp()::text AS at,
  NOT EXISTS (SELECT FROM unattributed_purges) AS "isAttributed"
FROM host_changes WHERE folded_at IS NULL
