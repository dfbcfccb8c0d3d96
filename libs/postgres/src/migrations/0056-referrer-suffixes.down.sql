SELECT pg_advisory_xact_lock(hashtext('fold-hosts'));
DELETE FROM hosts
WHERE kind = 1 AND parent_id IS NULL AND (name NOT LIKE '~%' OR name = '~rest')
  AND NOT EXISTS (SELECT FROM hosts AS child WHERE child.parent_id = hosts.id)
  AND NOT EXISTS (SELECT FROM host_totals WHERE host_id = hosts.id) AND NOT EXISTS (SELECT FROM host_sums WHERE host_id = hosts.id);
