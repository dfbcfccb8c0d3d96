-- Every domain; has_links: codes on it are its own, else they are the default domain's.
SELECT authority, is_default, incarnation,
  is_default OR EXISTS (SELECT FROM links WHERE domain_id = domains.id) AS has_links,
  base_url_redirect AS "baseUrlRedirect", regular_404_redirect AS "regular404Redirect",
  invalid_short_url_redirect AS "invalidShortUrlRedirect"
FROM domains
CROSS JOIN ledger_incarnation
