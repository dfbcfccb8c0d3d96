-- Parallel arrays: $1 kind, $2 name, $3 how many children more.
UPDATE hosts SET children = hosts.children + grown.children
FROM unnest($1::smallint[], $2::text[], $3::integer[]) AS grown (kind, name, children)
WHERE hosts.kind = grown.kind AND hosts.name = grown.name
