-- $1 id (null: any), $2 email (null: any), $3 how many, $4 after how many. By email.
SELECT users.id, users.email, users.name, users.role, users.enabled, users.totp_confirmed AS "secondFactor",
  EXISTS (SELECT FROM provider_identities WHERE user_id = users.id) AS "hasProvider",
  users.created_at AS "createdAt", users.last_sign_in_at AS "lastSignInAt",
  coalesce((SELECT jsonb_object_agg(group_id, role) FROM group_roles WHERE user_id = users.id), '{}') AS groups
FROM users
WHERE ($1::integer IS NULL OR users.id = $1) AND ($2::text IS NULL OR users.email = $2)
ORDER BY users.email
LIMIT $3 OFFSET $4
