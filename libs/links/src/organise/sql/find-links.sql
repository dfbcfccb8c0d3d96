-- $1 authorities (null: the default domain), $2 codes: one pair per link; $3 to $5 reach. One row per pair, in order; no id:
-- no such link.
SELECT links.id
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (authority, code, place)
LEFT JOIN domains ON domains.authority = asked.authority OR (asked.authority IS NULL AND domains.is_default)
LEFT JOIN links ON links.domain_id = domains.id AND links.code = asked.code AND links.deleted_at IS NULL
  AND within_reach(links.author_key_id, links.domain_id, links.group_id, $3, $4, $5)
ORDER BY asked.place
