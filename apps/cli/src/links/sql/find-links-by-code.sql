-- $2 DEFAULT: the default domain, null: any.
SELECT links.id, domains.authority, links.code
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE links.code = $1 AND ($2::text IS NULL OR domains.authority = $2 OR ($2 = 'DEFAULT' AND domains.is_default))
ORDER BY domains.is_default DESC, domains.authority
