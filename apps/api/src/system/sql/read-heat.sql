-- $1 how many. The links that are visited most now.
SELECT domains.authority AS domain, links.code AS "shortCode", heat.heat::float8 AS visits,
  coalesce(heat.pinned_slots, heat.slots)::integer AS slots, heat.folded_from IS NOT NULL AS folded
FROM link_heat AS heat
JOIN links ON links.id = heat.link_id
JOIN domains ON domains.id = links.domain_id
ORDER BY heat.heat DESC, heat.link_id
LIMIT $1
