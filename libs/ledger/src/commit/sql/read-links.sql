-- $1 link ids. The domain and the heat of each; null where nobody knows the link, or where it is cold. And whether it has, or had, a limit.
SELECT counted.link_id, link.domain_id, heat.slots, heat.folded_from,
  limits.link_id IS NOT NULL AS is_limited
FROM unnest($1::bigint[]) AS counted (link_id)
LEFT JOIN links AS link ON link.id = counted.link_id
LEFT JOIN link_heat AS heat ON heat.link_id = counted.link_id
LEFT JOIN link_limits AS limits ON limits.link_id = counted.link_id
