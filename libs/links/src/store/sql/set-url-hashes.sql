-- $1 links, $2 their long URLs as they were read, $3 hashes of these. Not of a link whose URL was changed meanwhile.
UPDATE links
SET url_hash = given.url_hash
FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS given (id, long_url, url_hash)
WHERE links.id = given.id AND links.long_url = given.long_url AND links.url_hash IS NULL
