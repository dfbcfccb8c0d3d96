-- $1 authorities, $2 codes: one pair per link. One row per pair, in order; no version: no such link, no URL: deleted.
SELECT (SELECT incarnation FROM ledger_incarnation) AS incarnation,
  CASE WHEN asked.position = 1 THEN believed_link_filter() END AS filter,
  links.id, asked.authority AS domain, asked.code, links.group_id, links.version, link_policy(links) AS policy,
  CASE WHEN links.deleted_at IS NULL THEN links.long_url END AS long_url
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (authority, code, position)
LEFT JOIN domains ON domains.authority = asked.authority
LEFT JOIN links ON links.domain_id = domains.id AND links.code = asked.code
ORDER BY asked.position
