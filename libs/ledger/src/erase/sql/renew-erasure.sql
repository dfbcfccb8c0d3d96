-- $1 ids. As long as find-deletions.sql counts it as under way.
UPDATE erasures SET started_at = now() WHERE id = ANY ($1::bigint[]) AND started_at > now() - interval '1 day'
