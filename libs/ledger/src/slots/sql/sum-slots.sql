-- $1 link ids
SELECT
  link_id,
  coalesce(sum(visits) FILTER (WHERE NOT potential_bot), 0)::float8 AS non_bots,
  coalesce(sum(visits) FILTER (WHERE potential_bot), 0)::float8 AS bots
FROM link_visit_slots
WHERE link_id = ANY ($1::bigint[])
GROUP BY link_id
