-- $1 link ids, $2 classes that count as bots, $3 'slots' or 'traffic'. Sums anew, also to zero.
WITH counted AS (
  SELECT link_id, sum(visits) AS visits, coalesce(sum(visits) FILTER (WHERE NOT potential_bot), 0) AS non_bots
  FROM link_visit_slots WHERE $3 = 'slots' AND link_id = ANY ($1::bigint[]) GROUP BY 1
  UNION ALL
  SELECT link_id, sum(visits), coalesce(sum(visits) FILTER (WHERE class <> ALL ($2::smallint[])), 0)
  FROM link_traffic WHERE $3 = 'traffic' AND link_id = ANY ($1::bigint[]) GROUP BY 1
)
INSERT INTO link_totals AS total (link_id, visits, non_bot_visits)
SELECT given.link_id, coalesce(counted.visits, 0), coalesce(counted.non_bots, 0)
FROM unnest($1::bigint[]) AS given (link_id)
LEFT JOIN counted USING (link_id)
ORDER BY 1
ON CONFLICT (link_id) DO UPDATE SET visits = excluded.visits, non_bot_visits = excluded.non_bot_visits
WHERE (total.visits, total.non_bot_visits) <> (excluded.visits, excluded.non_bot_visits)
RETURNING link_id
