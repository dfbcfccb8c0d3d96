SELECT
  coalesce(sum(visits) FILTER (WHERE NOT potential_bot), 0)::float8 AS people,
  coalesce(sum(visits) FILTER (WHERE potential_bot), 0)::float8 AS bots
FROM link_visit_slots
