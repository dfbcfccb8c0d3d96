-- $1 id, $2 and $3 reach. A group that is gone has its visits still. Who does not reach all links reaches the groups of those it
-- does, deleted ones too.
SELECT
WHERE EXISTS (
    SELECT FROM links WHERE group_id = $1 AND within_reach(author_key_id, domain_id, $2, $3)
  )
  OR (
    ($2::integer IS NULL AND $3::integer IS NULL)
    AND (
      EXISTS (SELECT FROM groups WHERE id = $1)
      OR EXISTS (SELECT FROM scope_traffic WHERE scope = 'group' AND scope_id = $1)
    )
  )
