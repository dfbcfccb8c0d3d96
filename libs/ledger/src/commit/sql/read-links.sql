-- $1 link ids. The domain and the heat of each; null where nobody knows the link, or where it is cold.
SELECT counted.link_id, link.domain_id, heat.slots, heat.folded_from
FROM unnest($1::bigint[]) AS counted (link_id)
LEFT JOIN links AS link ON link.id = counted.link_id
LEFT JOIN link_heat AS heat ON heat.link_id = counted.link_id
