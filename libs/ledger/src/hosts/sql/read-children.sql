-- Parallel arrays: $1 kind, $2 name. How many children those of them have that are there, and (name null) how many names of each kind are at the top.
SELECT hosts.kind, hosts.name, hosts.children
FROM unnest($1::smallint[], $2::text[]) AS asked (kind, name)
JOIN hosts ON hosts.kind = asked.kind AND hosts.name = asked.name
UNION ALL
SELECT kind, NULL, count(*)::integer FROM hosts WHERE parent_id IS NULL AND name NOT LIKE '~%' GROUP BY kind
