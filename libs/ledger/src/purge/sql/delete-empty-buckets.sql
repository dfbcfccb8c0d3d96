-- $1 link, $2 buckets. A commit that waits for such a row finds it gone and inserts its own.
DELETE FROM link_traffic
WHERE link_id = $1 AND bucket = ANY ($2::timestamptz[]) AND visits = 0 AND checksum = 0
