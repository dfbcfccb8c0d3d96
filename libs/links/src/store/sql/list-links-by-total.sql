-- Links with an all-time total, along an index on it: a page costs its rows and those before it, never
-- a sum over slots. $1 to $6: list-filter.sql; $7 rows, $8 rows before them.
SELECT /*COLUMNS*/
FROM link_totals AS totals
JOIN links ON links.id = totals.link_id
JOIN domains ON domains.id = links.domain_id
WHERE /*FILTER*/
ORDER BY /*ORDER*/
LIMIT $7 OFFSET $8
