-- $1 to $6: list-filter.sql.
SELECT count(*) AS links
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE /*FILTER*/
