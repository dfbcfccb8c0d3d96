-- $1 link ids. Buckets of which nothing is left. A commit that adds to one meanwhile makes it stay.
DELETE FROM link_traffic WHERE link_id = ANY ($1::bigint[]) AND visits = 0 AND checksum = 0
