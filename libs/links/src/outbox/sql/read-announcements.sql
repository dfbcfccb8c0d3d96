-- $1 how many. The oldest changes (`rows`: their ids, all those of one link together), each link as it is now, or a domain
-- alone (no code). Without a domain the link is gone for good, and there is nothing to announce.
WITH waiting AS (
  SELECT id, link_id, domain_id FROM link_outbox ORDER BY id LIMIT $1
), changed AS (
  SELECT link_id, domain_id, array_agg(id) AS rows FROM waiting GROUP BY link_id, domain_id
)
SELECT changed.rows, ledger.incarnation, links.id, domains.authority AS domain, links.code, links.group_id, links.version,
  CASE WHEN links.id IS NOT NULL THEN link_policy(links) END AS policy,
  CASE WHEN links.deleted_at IS NULL THEN links.long_url END AS long_url
FROM changed
LEFT JOIN links ON links.id = changed.link_id
LEFT JOIN domains ON domains.id = coalesce(links.domain_id, changed.domain_id)
CROSS JOIN ledger_incarnation AS ledger
