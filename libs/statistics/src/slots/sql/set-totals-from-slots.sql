-- $1 link ids. A later statement than the one that took the changes: its snapshot holds their visits.
INSERT INTO link_totals (link_id, visits, non_bot_visits)
SELECT link_id, sum(visits), coalesce(sum(visits) FILTER (WHERE NOT potential_bot), 0)
FROM link_visit_slots
WHERE link_id = ANY ($1::bigint[])
GROUP BY link_id
ON CONFLICT (link_id) DO UPDATE SET visits = excluded.visits, non_bot_visits = excluded.non_bot_visits
