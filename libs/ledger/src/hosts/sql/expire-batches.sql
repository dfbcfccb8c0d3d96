-- $1 days, $2 how many at most. What has ended (see end-batches.sql), was refused or never came.
DELETE FROM host_batches WHERE ctid IN (
  SELECT ctid FROM host_batches
  WHERE accepted_at < now() - make_interval(days => $1) AND names IS NULL
  ORDER BY accepted_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
