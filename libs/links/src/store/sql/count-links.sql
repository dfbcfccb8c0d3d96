-- $1 to $6: list-filter.sql.
SELECT count(*) AS links,
  count(*) FILTER (WHERE EXISTS (SELECT FROM link_totals AS totals WHERE totals.link_id = links.id)) AS with_total
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE /*FILTER*/
