-- $1 how many. The oldest changes that nobody else is announcing, gone once the transaction commits; each link as it is
-- now, or a domain alone (no code).
WITH taken AS (
  DELETE FROM link_outbox
  WHERE id = ANY (ARRAY(SELECT id FROM link_outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING link_id, domain_id
)
SELECT DISTINCT ledger.incarnation, links.id, domains.authority AS domain, links.code, links.group_id, links.version,
  CASE WHEN links.id IS NOT NULL THEN link_policy(links) END AS policy,
  CASE WHEN links.deleted_at IS NULL THEN links.long_url END AS long_url
FROM taken
LEFT JOIN links ON links.id = taken.link_id
JOIN domains ON domains.id = coalesce(links.domain_id, taken.domain_id)
CROSS JOIN ledger_incarnation AS ledger
