-- As commits do: the totals job sets the totals of these links anew. A thousand in a row.
INSERT INTO link_changes (link_ids)
SELECT array_agg(link_id)
FROM (SELECT link_id, (row_number() OVER (ORDER BY link_id) - 1) / 1000 AS part FROM (SELECT DISTINCT link_id FROM moves) AS moved) AS links
GROUP BY part
