-- $1 name
SELECT after_link, links::float8 AS links, repaired::float8 AS repaired, started_at, updated_at, finished_at
FROM statistics_repairs WHERE name = $1
