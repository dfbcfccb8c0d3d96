-- $1 link, $2 UTC hours: its totals and these hours are to be looked at.
INSERT INTO link_changes (link_ids, hours)
SELECT array_agg($1::bigint), array_agg(hour) FROM unnest($2::timestamptz[]) AS touched (hour) HAVING count(*) > 0
