-- $1 link (null: all), $2 how many differences at most. Uses of a link are its visits so far (but those sent elsewhere
-- after its end; and those that were purged) and the uses whose visit is on its way; and its limit is the link's.
SELECT link_id, 'used' AS part, counted::float8 AS expected, used::float8 AS actual
FROM (
  SELECT limits.link_id, limits.used, limits.purged - limits.apart + coalesce(taken.uses, 0)
    + (SELECT coalesce(sum(visits), 0) FROM link_traffic WHERE link_id = limits.link_id) AS counted
  FROM link_limits AS limits
  LEFT JOIN (SELECT link_id, count(*) AS uses FROM link_uses GROUP BY link_id) AS taken ON taken.link_id = limits.link_id
  WHERE limits.is_based AND ($1::bigint IS NULL OR limits.link_id = $1)
) AS compared
WHERE used <> counted
UNION ALL
SELECT links.id, 'limit', links.max_visits, limits.max_uses
FROM links LEFT JOIN link_limits AS limits ON limits.link_id = links.id
WHERE (links.max_visits IS NOT NULL OR limits.max_uses IS NOT NULL) AND ($1::bigint IS NULL OR links.id = $1)
  AND links.purged_at IS NULL AND links.max_visits IS DISTINCT FROM limits.max_uses
LIMIT $2
