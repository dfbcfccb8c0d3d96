-- $1 name, $2 start over. The position of a repair: as it was left, or from the start if it was finished.
INSERT INTO statistics_repairs AS kept (name, after_link) VALUES ($1, -9223372036854775808)
ON CONFLICT (name) DO UPDATE SET
  after_link = excluded.after_link, links = 0, repaired = 0, started_at = now(), updated_at = now(), finished_at = NULL
WHERE kept.finished_at IS NOT NULL OR $2::boolean
