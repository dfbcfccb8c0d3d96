-- $1 visitor or ip, $2 hashes, $3 from and $4 before which instant (null: now). Never ahead; whole milliseconds, as event
-- ids have them; one instant for all. The same again goes on with it, up to now.
WITH mark AS MATERIALIZED (
  SELECT date_trunc('milliseconds', least($4::timestamptz, clock_timestamp())) AS before
)
INSERT INTO erasures (person, hash, occurred_from, occurred_before)
SELECT $1, hash, $3::timestamptz, mark.before
FROM mark CROSS JOIN unnest($2::bigint[]) AS hash
ORDER BY hash
ON CONFLICT (person, hash, occurred_from) DO UPDATE
SET occurred_before = greatest(erasures.occurred_before, excluded.occurred_before), started_at = now(), erased_at = NULL
RETURNING id::text AS id, occurred_before AS before
