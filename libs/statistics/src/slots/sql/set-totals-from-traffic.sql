-- $1 link ids, $2 classes that count as bots
INSERT INTO link_totals (link_id, visits, non_bot_visits)
SELECT link_id, sum(visits), coalesce(sum(visits) FILTER (WHERE class <> ALL ($2::smallint[])), 0)
FROM link_traffic
WHERE link_id = ANY ($1::bigint[])
GROUP BY link_id
ON CONFLICT (link_id) DO UPDATE SET visits = excluded.visits, non_bot_visits = excluded.non_bot_visits
