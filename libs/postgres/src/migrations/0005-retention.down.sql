DROP FUNCTION set_kept_from(timestamptz);
ALTER TABLE visits_default DROP CONSTRAINT IF EXISTS visits_default_kept_from;
DELETE FROM archive_files WHERE state = 'expired';
ALTER TABLE archive_files
  DROP CONSTRAINT archive_files_state_check,
  ADD CONSTRAINT archive_files_state_check CHECK (state IN ('active', 'replaced', 'damaged'));
ALTER TABLE ledger_retention DROP COLUMN audited_from, DROP COLUMN restored_until, DROP COLUMN archived_from;
-- Creates the month partitions (UTC) that cover [from_time, to_time]. A month whose rows already sit
-- in the default partition is left there: they are counted all the same. Every commit waits behind a
-- creation that waits for an open transaction, so it gives up after a second: the worker tries again.
CREATE OR REPLACE FUNCTION create_visit_partitions(from_time timestamptz, to_time timestamptz) RETURNS integer
LANGUAGE plpgsql
SET lock_timeout = '1s'
AS $$
DECLARE
  month_start timestamp := date_trunc('month', from_time AT TIME ZONE 'UTC');
  partition_name text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('create_visit_partitions'));
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
