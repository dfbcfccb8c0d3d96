-- $1 to $6: list-filter.sql; $7 rows, $8 rows before them.
SELECT /*COLUMNS*/
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE /*FILTER*/
ORDER BY /*ORDER*/
LIMIT $7 OFFSET $8
