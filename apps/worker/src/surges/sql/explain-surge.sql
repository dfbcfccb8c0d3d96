-- $1 from and $2 before which instant, $3 kind, $4 host as visits have it, $5 visits looked at, $6 classes of bots, $7 how many of each.
WITH looked_at AS MATERIALIZED (
  SELECT link_id, class, country, referrer_host, CASE $3::smallint WHEN 0 THEN target_host WHEN 1 THEN referrer_host ELSE short_host END AS host
  FROM visits
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
  ORDER BY occurred_at DESC
  LIMIT $5
), found AS MATERIALIZED (
  SELECT link_id, class, country, referrer_host,
    CASE WHEN host <> $4::text THEN reverse(split_part(reverse(left(host, -length($4) - 1)), '.', 1)) END AS child
  FROM looked_at
  WHERE host = $4 OR right(host, length($4) + 1) = '.' || $4
)
SELECT
  (SELECT count(*) FROM found)::integer AS visits,
  (SELECT count(*) FROM found WHERE class = ANY ($6::smallint[]))::integer AS bots,
  (SELECT count(DISTINCT child) FROM found)::integer AS children,
  ARRAY(
    SELECT json_build_object('domain', domains.authority, 'shortCode', links.code, 'visits', top.visits)
    FROM (SELECT link_id, count(*)::integer AS visits FROM found GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $7) AS top
    JOIN links ON links.id = top.link_id
    JOIN domains ON domains.id = links.domain_id
    ORDER BY top.visits DESC, links.id
  ) AS links,
  ARRAY(
    SELECT json_build_object('referrer', referrer_host, 'visits', count(*)) FROM found
    GROUP BY referrer_host ORDER BY count(*) DESC, referrer_host LIMIT $7
  ) AS referrers,
  ARRAY(
    SELECT json_build_object('country', country, 'visits', count(*)) FROM found
    GROUP BY country ORDER BY count(*) DESC, country LIMIT $7
  ) AS countries
