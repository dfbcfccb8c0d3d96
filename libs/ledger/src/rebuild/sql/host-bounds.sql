-- First and last bucket of anything hosts have or should have.
WITH waiting AS (
  SELECT min(cell) AS first, max(cell) AS last
  FROM host_changes, unnest(cells) AS change (cell)
  WHERE folded_at IS NULL
)
SELECT
  least((SELECT min(bucket) FROM host_traffic), (SELECT min(first_bucket) FROM quiet_host_traffic), (SELECT min(bucket) FROM link_traffic), to_timestamp(first / 90 * 900.0)) AS first,
  greatest((SELECT max(bucket) FROM host_traffic), (SELECT max(last_bucket) FROM quiet_host_traffic), (SELECT max(bucket) FROM link_traffic), to_timestamp(last / 90 * 900.0)) AS last
FROM waiting
