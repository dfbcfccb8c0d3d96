-- $1 how many. Live links of one domain whose codes differ in the case of letters only.
SELECT domains.authority || ': ' || string_agg(links.code, ', ' ORDER BY links.code) AS alike
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE links.deleted_at IS NULL
GROUP BY domains.authority, lower(links.code)
HAVING count(*) > 1
LIMIT $1
