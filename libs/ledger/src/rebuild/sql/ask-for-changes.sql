-- $1 link ids, $2 buckets (parallel): their totals are set anew and their hours folded again, as after a commit.
INSERT INTO link_changes (link_ids, hours)
SELECT array_agg(link_id), array_agg(hour)
FROM (
  SELECT DISTINCT link_id, date_trunc('hour', bucket) AS hour
  FROM unnest($1::bigint[], $2::timestamptz[]) AS touched (link_id, bucket)
) AS change
HAVING count(*) > 0
