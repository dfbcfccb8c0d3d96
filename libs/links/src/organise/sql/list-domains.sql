-- $1 how many at most.
SELECT authority, is_default AS "isDefault", base_url_redirect AS "baseUrlRedirect",
  regular_404_redirect AS "regular404Redirect", invalid_short_url_redirect AS "invalidShortUrlRedirect"
FROM domains
WHERE is_default
  OR coalesce(base_url_redirect, regular_404_redirect, invalid_short_url_redirect) IS NOT NULL
  OR (SELECT sum(links) FROM link_counts WHERE domain_id = domains.id) > 0
ORDER BY is_default DESC, authority
LIMIT $1
