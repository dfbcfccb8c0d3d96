-- $1 link ids. A later statement than the one that took the changes: its snapshot holds their visits.
-- With SLOTS=off the buckets stand where the slots do, see visit-totals.ts. Links keep "listed" up to date
-- themselves; only a row that was lost gets it here.
INSERT INTO link_totals AS total (link_id, visits, non_bot_visits, listed)
SELECT touched.link_id, coalesce(sum(visits), 0), coalesce(sum(visits) FILTER (WHERE NOT potential_bot), 0),
  EXISTS (SELECT FROM links WHERE id = touched.link_id AND deleted_at IS NULL)
FROM unnest($1::bigint[]) AS touched (link_id) -- a purged link may have nothing left
LEFT JOIN link_visit_slots AS counted ON counted.link_id = touched.link_id
GROUP BY touched.link_id
ORDER BY touched.link_id
ON CONFLICT (link_id) DO UPDATE SET visits = excluded.visits, non_bot_visits = excluded.non_bot_visits
WHERE (total.visits, total.non_bot_visits) <> (excluded.visits, excluded.non_bot_visits)
RETURNING link_id
