-- $1 erasures (null: those that ended in the last $2 seconds). Folds, and deltas of hot hours, that hold hashes of who was
-- erased: of hours that lost no visit just now, or written by a folder with an older snapshot. Nobody reads them (their
-- checksum does not hold), but they would keep the hashes for two days.
WITH erased AS MATERIALIZED (
  SELECT person, occurred_from, occurred_before, array_agg(hash) AS hashes
  FROM erasures
  WHERE CASE WHEN $1::bigint[] IS NULL THEN erased_at > now() - make_interval(secs => $2) ELSE id = ANY ($1) END
  GROUP BY person, occurred_from, occurred_before
), deltas AS (
  DELETE FROM link_fold_deltas AS delta USING erased
  WHERE delta.hour < erased.occurred_before AND delta.hour > erased.occurred_from - interval '1 hour'
    AND EXISTS (
      SELECT FROM unnest(CASE erased.person WHEN 'visitor' THEN delta.visitors ELSE delta.ips END) AS kept (hash)
      JOIN unnest(erased.hashes) AS gone (hash) USING (hash)
    )
)
DELETE FROM link_folds AS fold USING erased
WHERE fold.hour < erased.occurred_before AND fold.hour > erased.occurred_from - interval '1 hour'
  AND EXISTS (
    SELECT FROM unnest(CASE erased.person WHEN 'visitor' THEN fold.visitors ELSE fold.ips END) AS kept (hash)
    JOIN unnest(erased.hashes) AS gone (hash) USING (hash)
  )
