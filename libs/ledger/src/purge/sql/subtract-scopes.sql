-- Parallel arrays: $1 link, $2 bucket, $3 class, $4 group ('': none; null: not known, so no group loses it yet), $5 visits, $6 checksum to take away; $7 slot that no
-- commit adds to: one of all links' buckets would make every commit wait. So its row may go below zero; only sums are read.
INSERT INTO scope_traffic AS traffic (scope, scope_id, bucket, class, slot_id, visits, checksum)
SELECT part.scope, part.scope_id, loss.bucket, loss.class, $7::smallint, -sum(loss.visits), bit_xor(loss.checksum)
FROM unnest($1::bigint[], $2::timestamptz[], $3::smallint[], $4::text[], $5::bigint[], $6::bigint[])
  AS loss (link_id, bucket, class, group_id, visits, checksum)
LEFT JOIN links AS link ON link.id = loss.link_id
CROSS JOIN LATERAL (VALUES
  ('all', ''),
  ('domain', coalesce(link.domain_id::text, '')),
  ('group', loss.group_id)
) AS part (scope, scope_id)
WHERE part.scope_id IS NOT NULL
GROUP BY 1, 2, 3, 4
ORDER BY part.scope COLLATE "C", part.scope_id COLLATE "C", loss.bucket, loss.class
ON CONFLICT (scope, scope_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
