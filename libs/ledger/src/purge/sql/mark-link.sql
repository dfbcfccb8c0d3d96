-- $1 link, $2 instant (null: now), $3 to $5 reach. Marks the link and notes the purge as unfinished, in one statement. A mark never goes
-- back and never lies ahead; whole milliseconds, as event ids have them. No row: there is no such link in reach.
WITH marked AS (
  UPDATE links
  SET purged_before = greatest(purged_before, date_trunc('milliseconds', least($2::timestamptz, clock_timestamp())))
  WHERE id = $1 AND within_reach(author_key_id, domain_id, group_id, $3, $4, $5)
  RETURNING id, purged_before
)
INSERT INTO unfinished_purges AS purge (link_id, purged_before)
SELECT id, purged_before FROM marked
ON CONFLICT (link_id) DO UPDATE
SET purged_before = greatest(purge.purged_before, excluded.purged_before), started_at = now()
RETURNING purged_before::text
