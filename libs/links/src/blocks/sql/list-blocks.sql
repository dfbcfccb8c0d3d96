-- $1 kind (null: all), $2 text in the value (null: any), $3 limit, $4 offset. Newest first.
SELECT id, kind, value, action, reason, created_at AS "createdAt"
FROM blocks
WHERE ($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR strpos(value, lower($2)) > 0)
ORDER BY id DESC
LIMIT $3 OFFSET $4
