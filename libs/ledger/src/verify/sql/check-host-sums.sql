-- $1 how many differences at most. Sums of hosts and all below them against the totals of all these, both ways.
SELECT
  hosts.kind, hosts.name AS host,
  jsonb_build_object('visits', counted.visits, 'byClass', counted.by_class) AS expected,
  jsonb_build_object('visits', kept.visits, 'byClass', kept.by_class) AS actual
FROM host_sums AS kept
FULL JOIN host_sums_of_totals() AS counted USING (host_id)
JOIN hosts ON hosts.id = host_id
WHERE kept.host_id IS NULL AND counted.by_class <> '{0,0,0,0,0}'
  OR counted.host_id IS NULL AND kept.by_class <> '{0,0,0,0,0}'
  OR (kept.kind, kept.parent_id, kept.visits, kept.by_class) <> (counted.kind, counted.parent_id, counted.visits, counted.by_class)
  OR kept.visits <> kept.by_class[1] + kept.by_class[2] + kept.by_class[3] + kept.by_class[4] + kept.by_class[5]
LIMIT $1
