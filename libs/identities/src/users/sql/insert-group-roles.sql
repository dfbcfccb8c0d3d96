-- $1 user, $2 role of each group, of which those that are gone are left out.
INSERT INTO group_roles (user_id, group_id, role)
SELECT $1, groups.id, given.value
FROM jsonb_each_text($2::jsonb) AS given
JOIN groups ON groups.id = given.key
