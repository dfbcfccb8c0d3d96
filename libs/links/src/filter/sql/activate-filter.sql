-- $1 generation of the filter that was filled. No row: another one is being made, or something that is not in it was
-- committed meanwhile.
UPDATE link_filter
SET current = building || jsonb_build_object('activeSinceMs', (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
  building = NULL
WHERE building ->> 'generation' = $1
  AND NOT EXISTS (SELECT FROM link_filter_gaps AS gap WHERE gap.generation = $1)
RETURNING true AS activated
