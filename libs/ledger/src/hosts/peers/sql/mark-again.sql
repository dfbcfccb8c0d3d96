-- Parallel arrays: $1 kind, $2 name, $3 class. Notes them as unpublished, changed or not.
INSERT INTO host_unpublished (host_id, class)
SELECT DISTINCT totals.host_id, totals.class
FROM unnest($1::smallint[], $2::text[], $3::smallint[]) AS given (kind, name, class)
JOIN hosts ON hosts.kind = given.kind AND hosts.name = given.name
JOIN host_totals AS totals ON totals.kind = hosts.kind AND totals.host_id = hosts.id AND totals.class = given.class AND totals.dc = ''
ORDER BY 1, 2
ON CONFLICT (host_id, class) DO UPDATE SET change = excluded.change
