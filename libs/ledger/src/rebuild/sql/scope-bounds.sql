-- First and last bucket of anything scope_traffic has or should have.
SELECT
  least((SELECT min(bucket) FROM scope_traffic), (SELECT min(bucket) FROM link_traffic)) AS first,
  greatest((SELECT max(bucket) FROM scope_traffic), (SELECT max(bucket) FROM link_traffic)) AS last
