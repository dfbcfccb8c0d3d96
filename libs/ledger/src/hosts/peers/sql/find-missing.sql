-- Parallel arrays of what was published: $1 kind, $2 name, $3 class. What this database has no row of.
SELECT DISTINCT published.kind, published.name, published.class
FROM unnest($1::smallint[], $2::text[], $3::smallint[]) AS published (kind, name, class)
WHERE NOT EXISTS (
  SELECT FROM hosts JOIN host_totals AS own ON own.kind = hosts.kind AND own.host_id = hosts.id
  WHERE hosts.kind = published.kind AND hosts.name = published.name AND own.class = published.class AND own.dc = ''
)
