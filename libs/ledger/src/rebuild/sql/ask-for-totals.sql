-- $1 link ids. As a commit does: the totals job sets their totals anew.
INSERT INTO link_changes (link_ids)
SELECT array_agg(DISTINCT link_id)
FROM link_traffic WHERE link_id = ANY ($1::bigint[])
HAVING count(*) > 0
