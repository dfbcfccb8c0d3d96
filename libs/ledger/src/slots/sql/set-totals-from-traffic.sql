-- $1 link ids, $2 classes that count as bots
INSERT INTO link_totals (link_id, visits, non_bot_visits)
SELECT touched.link_id, coalesce(sum(visits), 0), coalesce(sum(visits) FILTER (WHERE class <> ALL ($2::smallint[])), 0)
FROM unnest($1::bigint[]) AS touched (link_id) -- a purged link has no bucket left
LEFT JOIN link_traffic AS traffic ON traffic.link_id = touched.link_id
GROUP BY touched.link_id
ON CONFLICT (link_id) DO UPDATE SET visits = excluded.visits, non_bot_visits = excluded.non_bot_visits
