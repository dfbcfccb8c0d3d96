-- $1 how many. The oldest changes that nobody else is announcing, gone once the transaction commits; each link as it is now.
WITH taken AS (
  DELETE FROM link_outbox
  WHERE id = ANY (ARRAY(SELECT id FROM link_outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING link_id
)
SELECT DISTINCT ledger.incarnation, links.id, domains.authority AS domain, links.code, links.group_id, links.version,
  link_policy(links) AS policy, CASE WHEN links.deleted_at IS NULL THEN links.long_url END AS long_url
FROM taken
JOIN links ON links.id = taken.link_id
JOIN domains ON domains.id = links.domain_id
CROSS JOIN ledger_incarnation AS ledger
