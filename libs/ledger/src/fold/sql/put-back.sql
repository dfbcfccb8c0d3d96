-- $1 link ids, $2 hours of units that could not be folded now.
INSERT INTO fold_candidates (link_id, hour)
SELECT DISTINCT unit.link_id, unit.hour
FROM unnest($1::bigint[], $2::timestamptz[]) AS unit (link_id, hour)
ORDER BY 1, 2
ON CONFLICT (link_id, hour) DO UPDATE SET hour_due = true
