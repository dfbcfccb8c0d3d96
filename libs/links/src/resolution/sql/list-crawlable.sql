-- $1 authority, $2 how many. Those that lead somewhere now, for everybody: of another one no crawler is told.
SELECT links.code, links.extra_path IS NOT NULL AS "takesPath"
FROM links
JOIN domains ON domains.id = links.domain_id
WHERE domains.authority = $1 AND links.crawlable AND links.deleted_at IS NULL
  AND NOT links.disabled AND links.password_hash IS NULL
  AND (links.valid_since IS NULL OR links.valid_since <= now())
  AND (links.valid_until IS NULL OR links.valid_until > now() OR links.expired_url IS NOT NULL)
ORDER BY links.id DESC
LIMIT $2
