-- $1 last link seen, $2 last link wanted (null: no end), $3 how many. The next links of which anything is kept.
WITH RECURSIVE next (link_id, place) AS (
  SELECT $1::bigint, 0
  UNION ALL
  SELECT least(
    (SELECT min(link_id) FROM visits WHERE link_id > next.link_id),
    (SELECT min(link_id) FROM link_traffic WHERE link_id > next.link_id),
    (SELECT min(link_id) FROM link_visit_slots WHERE link_id > next.link_id),
    (SELECT min(link_id) FROM link_totals WHERE link_id > next.link_id),
    (SELECT min(link_id) FROM link_folds WHERE link_id > next.link_id)
  ), next.place + 1
  FROM next
  WHERE next.link_id IS NOT NULL AND next.place < $3::integer
)
SELECT link_id FROM next
WHERE place > 0 AND link_id IS NOT NULL AND ($2::bigint IS NULL OR link_id <= $2)
ORDER BY link_id
