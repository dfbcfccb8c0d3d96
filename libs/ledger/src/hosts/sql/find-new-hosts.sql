-- $1 ids of changes, $2 how many at most. The names in them that nobody has met before (and that have no '~rest' to count at).
WITH met AS MATERIALIZED (
  SELECT DISTINCT change.kind, change.host COLLATE "C" AS host
  FROM host_changes, unnest(kinds, hosts) AS change (kind, host)
  WHERE id = ANY ($1::bigint[]) AND NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = change.kind AND hosts.name = change.host)
), placed AS MATERIALIZED (
  SELECT DISTINCT kind, host_place(kind, host) COLLATE "C" AS name FROM met
)
SELECT kind, name FROM placed
WHERE NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = placed.kind AND hosts.name = placed.name)
ORDER BY kind, name
LIMIT $2
