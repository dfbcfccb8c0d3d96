-- $1 kind, $2 names, $3 scope. Visits of each, in their order, in the last five minutes (30 cells, up to now).
WITH asked AS MATERIALIZED (
  SELECT name COLLATE "C" AS name, place FROM unnest($2::text[]) WITH ORDINALITY AS one (name, place)
), recent AS MATERIALIZED (
  SELECT change.host COLLATE "C" AS host, sum(change.p - change.n) AS visits
  FROM host_changes, unnest(kinds, hosts, cells, p, n) AS change (kind, host, cell, p, n)
  WHERE (folded_at IS NULL OR folded_at >= now() - interval '5 minutes') AND change.kind = $1
    AND change.cell BETWEEN floor(extract(epoch FROM now()) / 10)::integer - 29 AND floor(extract(epoch FROM now()) / 10)::integer
  GROUP BY 1
)
SELECT coalesce(sum(recent.visits), 0)::float8 AS visits
FROM asked
LEFT JOIN recent ON host = name AND $3 <> 'below' OR host > name || '.' AND host < name || '/' AND $3 <> 'self'
GROUP BY place
ORDER BY place
