-- $1 slot that no commit adds to.
INSERT INTO scope_traffic AS traffic (scope, scope_id, bucket, class, slot_id, visits, checksum)
SELECT part.scope, part.scope_id, moves.bucket, part.class, $1::smallint, sum(part.visits), bit_xor(moves.checksum)
FROM moves
LEFT JOIN links ON links.id = moves.link_id
CROSS JOIN LATERAL (
  SELECT scope, scope_id, side.class, side.visits
  FROM (VALUES ('all', ''), ('domain', coalesce(links.domain_id::text, '')), ('group', moves.group_id)) AS scopes (scope, scope_id)
  CROSS JOIN (VALUES (moves.from_class, -moves.visits), (moves.class, moves.visits)) AS side (class, visits)
) AS part
GROUP BY part.scope, part.scope_id, moves.bucket, part.class
HAVING (sum(part.visits), bit_xor(moves.checksum)) <> (0, 0)
ORDER BY part.scope COLLATE "C", part.scope_id COLLATE "C", moves.bucket, part.class
ON CONFLICT (scope, scope_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
