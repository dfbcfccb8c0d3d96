-- $1 link (null: all). What there is to check, and since when the ledger is whole.
SELECT
  (SELECT kept_from FROM ledger_retention) AS kept_from,
  (SELECT greatest(kept_from, audited_from) FROM ledger_retention) AS audited_from,
  (SELECT min(occurred_at) FROM visits) AS first_visit,
  (SELECT max(occurred_at) FROM visits) AS last_visit,
  (SELECT count(*) FROM link_changes)::float8 AS pending_changes,
  (SELECT count(*) FROM visits WHERE $1::bigint IS NULL OR link_id = $1)::float8 AS visits,
  (SELECT count(*) FROM link_traffic WHERE $1::bigint IS NULL OR link_id = $1)::float8 AS buckets,
  (SELECT count(*) FROM link_visit_slots WHERE $1::bigint IS NULL OR link_id = $1)::float8 AS slots,
  (SELECT count(*) FROM link_folds WHERE $1::bigint IS NULL OR link_id = $1)::float8 AS folds,
  (SELECT count(*) FROM link_totals WHERE $1::bigint IS NULL OR link_id = $1)::float8 AS totals,
  CASE WHEN $1::bigint IS NULL THEN (SELECT count(*) FROM source_traffic) ELSE 0 END::float8 AS source_minutes,
  CASE WHEN $1::bigint IS NULL THEN (SELECT count(*) FROM scope_traffic) ELSE 0 END::float8 AS scope_buckets,
  CASE WHEN $1::bigint IS NULL THEN
    (SELECT count(*) FROM host_traffic) + (SELECT coalesce(sum(cardinality(quarters)), 0) FROM quiet_host_traffic)
  ELSE 0 END::float8 AS host_buckets,
  CASE WHEN $1::bigint IS NULL THEN (SELECT count(DISTINCT bucket) FROM unattributed_purges) ELSE 0 END::float8 AS unattributed_buckets
