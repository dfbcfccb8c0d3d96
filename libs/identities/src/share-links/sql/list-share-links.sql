-- $1 user, $2 whether they see those of others as well, $3 how many, $4 after how many. Newest first, those that have not expired.
SELECT shared.id, shared.name, shared.view, shared.created_at AS "createdAt", shared.expires_at AS "expiresAt",
  makers.id AS "makerId", makers.name AS "makerName", count(*) OVER ()::integer AS "totalItems"
FROM share_links AS shared
JOIN users AS makers ON makers.id = shared.user_id
WHERE ($2::boolean OR shared.user_id = $1) AND shared.expires_at > now()
ORDER BY shared.id DESC
LIMIT $3 OFFSET $4
