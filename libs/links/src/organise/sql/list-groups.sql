-- $1 how many, $2 after how many.
SELECT page.id, page.name, counted.links, counted."deletedLinks"
FROM (
  SELECT id, name, row_number() OVER (ORDER BY position, created_at, id) AS place FROM groups
  ORDER BY place LIMIT $1 OFFSET $2
) AS page
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE deleted_at IS NULL)::float8 AS links,
    count(*) FILTER (WHERE deleted_at IS NOT NULL)::float8 AS "deletedLinks"
  FROM links WHERE group_id = page.id
) AS counted
ORDER BY page.place
