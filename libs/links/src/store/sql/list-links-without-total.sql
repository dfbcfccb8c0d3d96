-- Links nobody visited yet: zero visits. $1 to $6: list-filter.sql; $7 rows, $8 rows before them.
SELECT /*COLUMNS*/
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE NOT EXISTS (SELECT FROM link_totals AS totals WHERE totals.link_id = links.id)
  AND /*FILTER*/
ORDER BY /*ORDER*/
LIMIT $7 OFFSET $8
