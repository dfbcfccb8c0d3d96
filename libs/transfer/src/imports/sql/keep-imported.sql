-- $1 name of the installation, $2 keys, $3 links
INSERT INTO import_links (name, source_key, link_id)
SELECT $1, key, link_id FROM unnest($2::text[], $3::bigint[]) AS kept (key, link_id)
