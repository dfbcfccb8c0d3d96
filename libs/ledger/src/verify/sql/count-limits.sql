-- $1 link (null: all).
SELECT count(*)::float8 AS links, coalesce(sum(late), 0)::float8 AS "lateVisits",
  (SELECT count(*) FROM link_uses WHERE $1::bigint IS NULL OR link_id = $1)::float8 AS "openUses",
  (
    SELECT count(*) FROM link_uses
    WHERE taken_at < now() - interval '1 day' AND ($1::bigint IS NULL OR link_id = $1)
  )::float8 AS "oldUses"
FROM link_limits
WHERE max_uses IS NOT NULL AND ($1::bigint IS NULL OR link_id = $1)
