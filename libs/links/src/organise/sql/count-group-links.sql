-- $1 group. A row if there is one.
SELECT groups.id, groups.name, count(*) FILTER (WHERE links.id IS NOT NULL AND deleted_at IS NULL)::float8 AS links,
  count(*) FILTER (WHERE deleted_at IS NOT NULL)::float8 AS "deletedLinks"
FROM groups
LEFT JOIN links ON links.group_id = groups.id
WHERE groups.id = $1
GROUP BY groups.id
