-- Rows of tags that are no more: nothing can be added to them once they are at zero and no change names them.
DELETE FROM tag_totals
WHERE (links, visits, non_bot_visits) = (0, 0, 0)
  AND NOT EXISTS (SELECT FROM tags WHERE id = tag_id)
