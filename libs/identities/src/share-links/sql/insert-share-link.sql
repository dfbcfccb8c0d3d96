-- $1 SHA-256 of its token, $2 name, $3 user, $4 view, $5 the link of a view of one, $6 the only groups (null: everything),
-- $7 when it ends, $8 how many a user may have, $9 the tag of a view of one. No row: too many.
INSERT INTO share_links (token_hash, name, user_id, view, link_id, in_groups, expires_at, tag_id)
SELECT $1, $2, $3::integer, $4, $5::bigint, $6::text[], $7, $9::integer
WHERE (SELECT count(*) FROM share_links WHERE user_id = $3::integer) < $8
RETURNING id, name, view, created_at AS "createdAt", expires_at AS "expiresAt"
