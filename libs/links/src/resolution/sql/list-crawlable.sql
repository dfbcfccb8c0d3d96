-- $1 authority, $2 how many.
SELECT links.code, links.extra_path IS NOT NULL AS "takesPath"
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE domains.authority = $1 AND links.crawlable AND links.deleted_at IS NULL
ORDER BY links.id DESC
LIMIT $2
