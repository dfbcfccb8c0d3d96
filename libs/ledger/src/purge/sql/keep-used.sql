-- Parallel arrays: $1 link (each once), $2 visits that went. Purged visits stay used.
WITH locked AS MATERIALIZED (
  SELECT link_id FROM link_limits WHERE link_id = ANY ($1::bigint[]) ORDER BY link_id FOR UPDATE
)
UPDATE link_limits AS limited SET purged = limited.purged + gone.visits
FROM locked JOIN unnest($1::bigint[], $2::bigint[]) AS gone (link_id, visits) USING (link_id)
WHERE limited.link_id = locked.link_id
