-- $1 minutes after their fold, $2 how many.
DELETE FROM host_changes
WHERE id IN (
  SELECT id FROM host_changes
  WHERE folded_at < now() - make_interval(mins => $1)
  ORDER BY folded_at LIMIT $2
  FOR UPDATE SKIP LOCKED
)
