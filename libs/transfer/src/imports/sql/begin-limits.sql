-- $1 new links, $2 visits that each had elsewhere: they are uses whose visits are not here, as those of purged ones.
UPDATE link_limits AS limits SET used = limits.used + had.visits, purged = limits.purged + had.visits
FROM unnest($1::bigint[], $2::bigint[]) AS had (link_id, visits)
WHERE limits.link_id = had.link_id
