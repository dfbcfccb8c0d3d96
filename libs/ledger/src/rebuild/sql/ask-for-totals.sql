-- $1 link ids. As a commit does: the totals job sets their totals anew. The hour is any of the link's.
INSERT INTO link_changes (link_ids, hours)
SELECT array_agg(link_id), array_agg(hour)
FROM (
  SELECT link_id, date_trunc('hour', max(bucket)) AS hour
  FROM link_traffic WHERE link_id = ANY ($1::bigint[]) GROUP BY link_id
) AS link
HAVING count(*) > 0
