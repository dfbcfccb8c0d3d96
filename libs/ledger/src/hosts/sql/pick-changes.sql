-- $1 how many rows, $2 how many entries in them. The oldest changes that are not folded, one at least.
SELECT id::text AS id
FROM (
  SELECT id, row_number() OVER oldest AS place, sum(entries) OVER oldest AS entries
  FROM (SELECT id, entries FROM host_changes WHERE folded_at IS NULL ORDER BY id LIMIT $1) AS waiting
  WINDOW oldest AS (ORDER BY id)
) AS waiting
WHERE place = 1 OR entries <= $2
ORDER BY id
