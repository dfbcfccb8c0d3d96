-- $1 how many at most, $2 to $4 reach. A key of one domain sees that one, who reaches some links only the default domain
-- and those of these links.
SELECT authority, is_default AS "isDefault", base_url_redirect AS "baseUrlRedirect",
  regular_404_redirect AS "regular404Redirect", invalid_short_url_redirect AS "invalidShortUrlRedirect"
FROM domains
WHERE ($3::integer IS NULL OR id = $3) AND (
  is_default
  OR id = $3
  OR CASE
    WHEN $2::integer IS NULL AND $4::text[] IS NULL THEN coalesce(base_url_redirect, regular_404_redirect, invalid_short_url_redirect) IS NOT NULL
      OR (SELECT sum(links) FROM link_counts WHERE domain_id = domains.id) > 0
    ELSE EXISTS (SELECT FROM links WHERE domain_id = domains.id AND within_reach(author_key_id, domain_id, group_id, $2, $3, $4)
      AND deleted_at IS NULL)
  END
)
ORDER BY is_default DESC, authority
LIMIT $1
