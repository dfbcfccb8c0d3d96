-- $1 authority, $2 code
SELECT l.id, d.authority AS domain, l.code, l.long_url, l.group_id, l.version
FROM links l
JOIN domains d ON d.id = l.domain_id
WHERE d.authority = $1 AND l.code = $2 AND l.deleted_at IS NULL
