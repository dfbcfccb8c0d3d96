-- $1 what was to be rebuilt, as kept in the arguments. How far the newest rebuild of that came, if it was killed or failed.
SELECT counts ->> 'lastLink' AS last_link
FROM (
  SELECT outcome, counts FROM operator_actions
  WHERE command = 'rebuild' AND arguments @> $1::jsonb
  ORDER BY id DESC
  LIMIT 1
) AS newest
WHERE coalesce(outcome, 'failed') = 'failed'
