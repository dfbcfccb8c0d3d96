-- Months leave the ledger once the archive holds them, and may come back; files of the archive may end, too.
ALTER TABLE ledger_retention
  -- After a restore: rows beside the ledger (source_traffic, reports, purged ids) are whole only from here on; they went
  -- with their month and did not come back. null: as kept_from.
  ADD COLUMN audited_from timestamptz,
  -- No month is dropped before; null: no restored one is kept.
  ADD COLUMN restored_until timestamptz,
  -- Files before it are gone (ARCHIVE_DAYS): of those visits only the buckets are left. Never beyond kept_from when
  -- it is set. null: none is gone.
  ADD COLUMN archived_from timestamptz;

-- expired: older than ARCHIVE_DAYS; only link_traffic speaks of its visits.
ALTER TABLE archive_files
  DROP CONSTRAINT archive_files_state_check,
  ADD CONSTRAINT archive_files_state_check CHECK (state IN ('active', 'replaced', 'damaged', 'expired'));

-- The ledger is whole from kept_from on. A visit from before that finds no month of its own would go to the default
-- partition, where no key of a dropped month could tell a copy: it is refused there (23514), and so becomes a dead letter.
-- NOT VALID: what stands there already is not read, and no query is planned by it. The caller has locked visits.
CREATE FUNCTION set_kept_from(instant timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_retention (kept_from) VALUES (instant)
  ON CONFLICT (singleton) DO UPDATE SET kept_from = excluded.kept_from;
  ALTER TABLE visits_default DROP CONSTRAINT IF EXISTS visits_default_kept_from;
  EXECUTE format(
    'ALTER TABLE visits_default ADD CONSTRAINT visits_default_kept_from CHECK (occurred_at >= %L) NOT VALID', instant
  );
END $$;
SELECT set_kept_from(kept_from) FROM ledger_retention;

-- As before, but never a month that was dropped: read under the lock, since a drop may just have committed.
CREATE OR REPLACE FUNCTION create_visit_partitions(from_time timestamptz, to_time timestamptz) RETURNS integer
LANGUAGE plpgsql
SET lock_timeout = '1s'
AS $$
DECLARE
  month_start timestamp;
  partition_name text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('create_visit_partitions'));
  month_start := date_trunc(
    'month', greatest(from_time, (SELECT kept_from FROM ledger_retention)) AT TIME ZONE 'UTC'
  );
  WHILE month_start <= to_time AT TIME ZONE 'UTC' LOOP
    partition_name := 'visits_' || to_char(month_start, 'YYYY_MM');
    IF to_regclass(partition_name) IS NULL AND NOT EXISTS (
      SELECT FROM visits_default
      WHERE occurred_at >= month_start AT TIME ZONE 'UTC'
        AND occurred_at < (month_start + interval '1 month') AT TIME ZONE 'UTC'
    ) THEN
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF visits FOR VALUES FROM (%L) TO (%L)',
        partition_name,
        to_char(month_start, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(month_start + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
      );
      created := created + 1;
    END IF;
    month_start := month_start + interval '1 month';
  END LOOP;
  RETURN created;
END $$;
