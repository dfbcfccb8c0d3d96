-- $1 kind, $2 names, $3 scope. Visits of each, in their order, in the last five minutes (30 cells, up to now): of the hosts that its totals
-- are of. A name that has no sums of its own is counted by what visits say, as its totals are.
WITH asked AS MATERIALIZED (
  SELECT name COLLATE "C" AS name, nr, host_place($1, name) <> name AS is_lumped FROM unnest($2::text[]) WITH ORDINALITY AS one (name, nr)
), recent AS MATERIALIZED (
  SELECT change.host COLLATE "C" AS host, sum(change.p - change.n) AS visits
  FROM host_changes, unnest(kinds, hosts, cells, p, n) AS change (kind, host, cell, p, n)
  WHERE (folded_at IS NULL OR folded_at >= now() - interval '5 minutes') AND change.kind = $1
    AND change.cell BETWEEN floor(extract(epoch FROM now()) / 10)::integer - 29 AND floor(extract(epoch FROM now()) / 10)::integer
  GROUP BY 1
), placed AS MATERIALIZED (
  SELECT host, coalesce(hosts.name, host_place($1, host)) COLLATE "C" AS place, visits
  FROM recent LEFT JOIN hosts ON hosts.kind = $1 AND hosts.name = host
)
SELECT coalesce(sum(counted.visits), 0)::float8 AS visits
FROM asked
LEFT JOIN LATERAL (
  SELECT visits
  FROM placed, LATERAL (SELECT CASE WHEN is_lumped THEN host ELSE place END COLLATE "C" AS at) AS of_it
  WHERE CASE $3
    WHEN 'self' THEN at = name
    WHEN 'children' THEN at > name || '.' AND at < name || '/' AND host_parent(at) = name AND at <> name || '.~rest'
    ELSE at > name || '.' AND at < name || '/' OR at = name AND $3 = 'subtree'
  END
) AS counted ON true
GROUP BY nr
ORDER BY nr
