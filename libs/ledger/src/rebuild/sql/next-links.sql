-- $1 last link seen, $2 how many. The next links that have buckets or slots; jumps from link to link in
-- the keys' indexes instead of reading all their rows.
WITH RECURSIVE next (link_id, place) AS (
  SELECT least(
    (SELECT min(link_id) FROM link_traffic WHERE link_id > $1::bigint),
    (SELECT min(link_id) FROM link_visit_slots WHERE link_id > $1::bigint)
  ), 1
  UNION ALL
  SELECT least(
    (SELECT min(link_id) FROM link_traffic WHERE link_id > next.link_id),
    (SELECT min(link_id) FROM link_visit_slots WHERE link_id > next.link_id)
  ), next.place + 1
  FROM next
  WHERE next.link_id IS NOT NULL AND next.place < $2::integer
)
SELECT link_id FROM next WHERE link_id IS NOT NULL ORDER BY link_id
