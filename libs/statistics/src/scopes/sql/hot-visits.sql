-- $1 start of the window, $2 links and $3 domains at most. Visits of all classes since then: of all links (no domain), of domains (no
-- code) and of links, the most first.
(
  SELECT NULL AS domain, NULL AS code, coalesce(sum(visits), 0)::float8 AS visits
  FROM scope_traffic WHERE scope = 'all' AND scope_id = '' AND bucket >= $1::timestamptz
)
UNION ALL
(
  SELECT domains.authority, NULL, traffic.visits
  FROM domains
  CROSS JOIN LATERAL (
    SELECT sum(visits)::float8 AS visits FROM scope_traffic
    WHERE scope = 'domain' AND scope_id = domains.id::text AND bucket >= $1::timestamptz
  ) AS traffic
  WHERE traffic.visits > 0
  ORDER BY traffic.visits DESC, domains.authority
  LIMIT $3
)
UNION ALL
(
  SELECT domains.authority, links.code, hot.visits
  FROM (
    SELECT link_id, sum(visits)::float8 AS visits FROM link_traffic WHERE bucket >= $1::timestamptz
    GROUP BY link_id HAVING sum(visits) > 0 ORDER BY 2 DESC, 1 LIMIT $2
  ) AS hot
  JOIN links ON links.id = hot.link_id
  JOIN domains ON domains.id = links.domain_id
  WHERE links.deleted_at IS NULL
  ORDER BY hot.visits DESC, hot.link_id
)
