-- The current filter, whether nothing is missing in it, and how many links there are (not counting deleted ones, which the
-- room has to spare).
SELECT current, current ->> 'room' AS room,
  (extract(epoch FROM clock_timestamp()) * 1000 - (current ->> 'activeSinceMs')::numeric)::bigint AS age_ms,
  NOT EXISTS (SELECT FROM link_filter_gaps AS gap WHERE gap.generation = current ->> 'generation') AS "isWhole",
  (SELECT coalesce(sum(links), 0) FROM link_counts) AS links
FROM link_filter
