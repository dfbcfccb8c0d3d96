-- $1 how many. The oldest changes that are not folded, and the names in them that nobody has met before (and that have no '~rest' to
-- count at), in key order: ancestors come before what is below them. `known`: how many there are, as far as PostgreSQL's statistics know.
WITH picked AS MATERIALIZED (
  SELECT id, hosts FROM host_changes WHERE folded_at IS NULL ORDER BY id LIMIT $1
), fresh AS (
  SELECT DISTINCT change.host COLLATE "C" AS name
  FROM picked, unnest(picked.hosts) AS change (host)
  WHERE NOT EXISTS (SELECT FROM hosts WHERE hosts.name = change.host)
)
SELECT ARRAY(SELECT id::text FROM picked ORDER BY id) AS ids,
  ARRAY(SELECT name FROM fresh WHERE host_place(name) = name ORDER BY name) AS names,
  (SELECT reltuples FROM pg_class WHERE oid = 'hosts'::regclass)::float8 AS known
