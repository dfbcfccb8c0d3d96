-- $1 how many, $2 after how many. Newest first, those that can still be used; email: whose password it is about.
SELECT invites.id, whose.email, invites.role, invites.groups, invites.only_first AS "onlyFirst",
  invites.created_at AS "createdAt", invites.expires_at AS "expiresAt",
  CASE
    WHEN makers.id IS NOT NULL THEN jsonb_build_object('kind', 'user', 'id', makers.id, 'name', makers.name)
    WHEN keys.id IS NOT NULL THEN jsonb_build_object('kind', 'api-key', 'id', keys.id, 'name', keys.name)
  END AS "createdBy"
FROM invites
LEFT JOIN users AS whose ON whose.id = invites.user_id
LEFT JOIN users AS makers ON makers.id = invites.created_by_user
LEFT JOIN api_keys AS keys ON keys.id = invites.created_by_key
WHERE invites.expires_at > now() AND (NOT invites.only_first OR NOT EXISTS (SELECT FROM users))
ORDER BY invites.id DESC
LIMIT $1 OFFSET $2
