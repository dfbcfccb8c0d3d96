-- $1 kind, $2 names, $3 at most. How many names are below them.
SELECT count(*)::integer AS names
FROM (
  SELECT
  FROM unnest($2::text[]) AS asked (name)
  CROSS JOIN LATERAL (
    SELECT FROM hosts WHERE kind = $1 AND hosts.name > asked.name || '.' AND hosts.name < asked.name || '/' LIMIT $3
  ) AS one
  LIMIT $3
) AS below
