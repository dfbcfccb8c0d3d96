-- $1 classes that count as bots. Counters whose slots are not what the buckets say, in one snapshot.
SELECT count(*)::integer AS counters
FROM (
  SELECT link_id, class = ANY ($1::smallint[]) AS potential_bot, sum(visits) AS visits FROM link_traffic GROUP BY 1, 2
) AS counted
FULL JOIN (
  SELECT link_id, potential_bot, sum(visits) AS visits FROM link_visit_slots GROUP BY 1, 2
) AS kept USING (link_id, potential_bot)
WHERE coalesce(counted.visits, 0) <> coalesce(kept.visits, 0)
