-- $1 kind, $2 name (null: the top), $3 at most. How many names are below it.
SELECT count(*)::integer AS names
FROM (SELECT FROM hosts WHERE kind = $1 AND ($2::text IS NULL OR name > $2 || '.' AND name < $2 || '/') LIMIT $3) AS below
