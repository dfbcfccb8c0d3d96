-- $1 to $6: list-filter.sql.
SELECT count(*) AS links
FROM link_totals AS totals
JOIN links ON links.id = totals.link_id
JOIN domains ON domains.id = links.domain_id
WHERE /*FILTER*/
