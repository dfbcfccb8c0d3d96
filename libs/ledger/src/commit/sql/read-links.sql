-- $1 link ids. One row, since one for each link is dear to read: the domain of each in their order, null where nobody knows the
-- link; and of those that are hot, or have or had a limit, what is known of that.
SELECT
  json_agg(link.domain_id ORDER BY counted.place) AS domains,
  coalesce(json_agg(json_build_object(
    'linkId', counted.link_id::text, 'slots', heat.slots, 'foldedFromMs', extract(epoch FROM heat.folded_from) * 1000,
    'isLimited', limits.link_id IS NOT NULL
  )) FILTER (WHERE heat.link_id IS NOT NULL OR limits.link_id IS NOT NULL), '[]') AS special
FROM unnest($1::bigint[]) WITH ORDINALITY AS counted (link_id, place)
LEFT JOIN links AS link ON link.id = counted.link_id
LEFT JOIN link_heat AS heat ON heat.link_id = counted.link_id
LEFT JOIN link_limits AS limits ON limits.link_id = counted.link_id
