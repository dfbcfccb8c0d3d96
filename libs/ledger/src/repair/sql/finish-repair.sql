-- $1 name
UPDATE statistics_repairs SET updated_at = now(), finished_at = now() WHERE name = $1
