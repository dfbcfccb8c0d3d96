-- $1 link (null: all), $2 how many at most. The ledger's key holds within a partition; these would be
-- event ids in two of them.
SELECT min(link_id)::text AS link_id, event_id, 1 AS expected, count(*)::float8 AS actual
FROM visits
WHERE $1::bigint IS NULL OR link_id = $1
GROUP BY event_id
HAVING count(*) > 1
LIMIT $2
