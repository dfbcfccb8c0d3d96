-- Which filters there are, the same until the transaction ends; isCurrentWhole: nothing is missing in the current one.
SELECT current, building,
  NOT EXISTS (SELECT FROM link_filter_gaps AS gap WHERE gap.generation = current ->> 'generation') AS "isCurrentWhole"
FROM link_filter
FOR SHARE
