-- Parallel arrays: $1 host, $2 class, $3 change. Those that did not change again; one that is being changed just now did.
WITH sent AS MATERIALIZED (
  SELECT kept.host_id, kept.class
  FROM host_unpublished AS kept
  JOIN unnest($1::integer[], $2::smallint[], $3::bigint[]) AS sent (host_id, class, change) USING (host_id, class, change)
  FOR UPDATE OF kept SKIP LOCKED
)
DELETE FROM host_unpublished AS gone USING sent WHERE gone.host_id = sent.host_id AND gone.class = sent.class
