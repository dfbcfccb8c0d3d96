-- $1 how many, $2 after how many, $3 to $5 reach: who does not reach all links sees the groups of those it does.
SELECT page.id, page.name, counted.links, counted."deletedLinks"
FROM (
  SELECT id, name, row_number() OVER (ORDER BY position, created_at, id) AS place FROM groups
  WHERE ($3::integer IS NULL AND $4::integer IS NULL AND $5::text[] IS NULL) OR id = ANY ($5)
    OR EXISTS (SELECT FROM links WHERE group_id = groups.id AND within_reach(author_key_id, domain_id, group_id, $3, $4, $5))
  ORDER BY place LIMIT $1 OFFSET $2
) AS page
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE deleted_at IS NULL)::float8 AS links,
    count(*) FILTER (WHERE deleted_at IS NOT NULL)::float8 AS "deletedLinks"
  FROM links WHERE group_id = page.id AND within_reach(author_key_id, domain_id, group_id, $3, $4, $5)
) AS counted
ORDER BY page.place
