-- $1 name, $2 last link done, $3 links done, $4 counters repaired
UPDATE statistics_repairs
SET after_link = $2, links = links + $3, repaired = repaired + $4, updated_at = now()
WHERE name = $1
