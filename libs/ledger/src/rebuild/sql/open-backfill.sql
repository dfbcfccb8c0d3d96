-- $1 start over. The position of the backfill: as it was left, or from the start if it was finished.
INSERT INTO slot_backfill AS kept (after_link) VALUES (-9223372036854775808)
ON CONFLICT (singleton) DO UPDATE SET
  after_link = excluded.after_link, links = 0, filled = 0, started_at = now(), updated_at = now(), finished_at = NULL
WHERE kept.finished_at IS NOT NULL OR $1::boolean
