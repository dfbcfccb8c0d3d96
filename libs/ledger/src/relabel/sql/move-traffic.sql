-- Slot 0 may go below zero: only sums are read.
INSERT INTO link_traffic AS traffic (link_id, bucket, class, slot_id, visits, checksum)
SELECT link_id, bucket, part.class, 0, sum(part.visits), bit_xor(moves.checksum)
FROM moves CROSS JOIN LATERAL (VALUES (from_class, -visits), (moves.class, visits)) AS part (class, visits)
GROUP BY link_id, bucket, part.class
HAVING (sum(part.visits), bit_xor(moves.checksum)) <> (0, 0)
ORDER BY link_id, bucket, part.class
ON CONFLICT (link_id, bucket, class, slot_id) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
