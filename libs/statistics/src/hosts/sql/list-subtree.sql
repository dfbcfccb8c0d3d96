-- $1 kind, $2 name, $3 how many. The name and each one below it, with all below it and what is not folded yet, of all time; the most visits first.
WITH unfolded AS MATERIALIZED (
  SELECT change.host COLLATE "C" AS host, sum(change.p - change.n) AS visits
  FROM host_changes, unnest(kinds, hosts, p, n) AS change (kind, host, p, n)
  WHERE folded_at IS NULL AND change.kind = $1
    -- What counts at a '~rest' has another name.
    AND ($2 ~ '(^|[.])~rest$' OR change.host = $2 OR change.host COLLATE "C" > $2 || '.' AND change.host COLLATE "C" < $2 || '/')
  GROUP BY 1
), own AS (
  SELECT name, p - n AS visits
  FROM host_totals JOIN hosts ON hosts.id = host_id
  WHERE host_totals.kind = $1 AND hosts.kind = $1 AND (name = $2 OR name > $2 || '.' AND name < $2 || '/')
  UNION ALL
  SELECT place, visits
  FROM unfolded, host_place($1, host) AS place
  WHERE place = $2 OR place COLLATE "C" > $2 || '.' AND place COLLATE "C" < $2 || '/'
), sums AS (
  SELECT array_to_string(labels[1:depth], '.') COLLATE "C" AS name, sum(visits) AS visits
  FROM (SELECT string_to_array(name, '.') AS labels, sum(visits) AS visits FROM own GROUP BY name) AS split,
    generate_series(cardinality(string_to_array($2, '.')), cardinality(labels)) AS depth
  GROUP BY 1
  HAVING sum(visits) <> 0
)
SELECT name, visits::float8 FROM sums ORDER BY sums.visits DESC, name LIMIT $3
