-- $1 SHA-256 of a token. What it shows, to whoever has it now, with the roles of its maker. No row: it has ended, for whatever reason.
-- A view of one link names it by its code: without a domain that is asked of the default one, which may be another by now, and so may its link be.
SELECT shared.id, shared.name, shared.view, shared.in_groups AS "inGroups", makers.role,
  (SELECT name FROM tags WHERE id = shared.tag_id) AS tag,
  coalesce((SELECT jsonb_object_agg(group_id, role) FROM group_roles WHERE user_id = makers.id), '{}') AS groups,
  extract(epoch FROM shared.expires_at - now())::float8 * 1000 AS "endsInMs"
FROM share_links AS shared
JOIN users AS makers ON makers.id = shared.user_id
WHERE shared.token_hash = $1 AND shared.expires_at > now() AND makers.enabled
  AND (shared.link_id IS NULL OR EXISTS (
    SELECT FROM links
    JOIN domains ON domains.id = links.domain_id
    WHERE links.id = shared.link_id AND links.deleted_at IS NULL AND (shared.view ->> 'domain' IS NOT NULL OR domains.is_default)))
