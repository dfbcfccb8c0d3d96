-- $1 link_id[], $2 UTC hour[] (parallel)
INSERT INTO link_changes (link_ids, hours) VALUES ($1::bigint[], $2::timestamptz[])
