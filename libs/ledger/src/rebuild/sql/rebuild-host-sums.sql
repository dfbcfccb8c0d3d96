-- Sums of hosts and all below them are what the totals say. After these, which bring theirs along; nobody folds meanwhile.
WITH counted AS MATERIALIZED (SELECT * FROM host_sums_of_totals()), gone AS (
  DELETE FROM host_sums AS kept
  WHERE NOT EXISTS (SELECT FROM counted WHERE counted.host_id = kept.host_id)
  RETURNING host_id
), put AS (
  INSERT INTO host_sums AS kept (host_id, kind, parent_id, visits, by_class)
  SELECT * FROM counted
  ON CONFLICT (host_id) DO UPDATE
  SET kind = excluded.kind, parent_id = excluded.parent_id, visits = excluded.visits, by_class = excluded.by_class
  WHERE (kept.kind, kept.parent_id, kept.visits, kept.by_class) <> (excluded.kind, excluded.parent_id, excluded.visits, excluded.by_class)
  RETURNING host_id
)
SELECT host_id FROM gone UNION ALL SELECT host_id FROM put
