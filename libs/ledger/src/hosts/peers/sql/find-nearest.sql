-- Parallel arrays: $1 kind, $2 name. The nearest name above each that has a row; of none '~unknown', which each kind has. Each name above is looked for by
-- itself: a join would read all names of the kind for each one.
SELECT given.kind, given.name, coalesce(nearest.id, unknown.id) AS "hostId"
FROM unnest($1::smallint[], $2::text[]) AS given (kind, name)
LEFT JOIN hosts AS unknown ON unknown.kind = given.kind AND unknown.name = '~unknown'
LEFT JOIN LATERAL (
  SELECT id
  FROM (
    SELECT length, (SELECT hosts.id FROM hosts WHERE hosts.kind = given.kind AND hosts.name = array_to_string(labels[1:length], '.')) AS id
    FROM string_to_array(given.name, '.') AS labels
    CROSS JOIN generate_series(1, cardinality(labels) - 1) AS length
  ) AS above
  WHERE id IS NOT NULL
  ORDER BY length DESC LIMIT 1
) AS nearest ON true
