-- $1 kinds, $2 names. Where those count that have a place by now; the fold has not met the others.
SELECT given.kind, given.name, hosts.name AS place
FROM unnest($1::smallint[], $2::text[]) AS given (kind, name)
JOIN hosts ON hosts.kind = given.kind AND hosts.name = host_place(given.kind, given.name)
