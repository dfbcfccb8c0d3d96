-- How far the newest verification of the archive came, if it was killed or failed.
SELECT counts ->> 'verifiedTo' AS verified_to, (counts ->> 'differences')::float8 AS differences
FROM (
  SELECT outcome, counts FROM operator_actions
  WHERE command = 'archive verify'
  ORDER BY id DESC
  LIMIT 1
) AS newest
WHERE coalesce(outcome, 'failed') = 'failed'
