-- As read-links.sql. alike: instead of a code that no live link has, the codes of live links that differ from it in the case
-- of letters (A to Z) only; two are as good as more.
SELECT (SELECT incarnation FROM ledger_incarnation) AS incarnation,
  CASE WHEN asked.position = 1 THEN believed_link_filter() END AS filter,
  links.id, asked.authority AS domain, asked.code, links.group_id, links.version, link_policy(links) AS policy,
  CASE WHEN links.deleted_at IS NULL THEN links.long_url END AS long_url,
  CASE WHEN links.id IS NULL OR links.deleted_at IS NOT NULL THEN ARRAY(
    SELECT alike.code
    FROM links AS alike
    WHERE alike.domain_id = domains.id AND lower(alike.code) = lower(asked.code COLLATE "C")
      AND alike.deleted_at IS NULL
    LIMIT 2
  ) END AS alike
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (authority, code, position)
LEFT JOIN domains ON domains.authority = asked.authority
LEFT JOIN links ON links.domain_id = domains.id AND links.code = asked.code
ORDER BY asked.position
