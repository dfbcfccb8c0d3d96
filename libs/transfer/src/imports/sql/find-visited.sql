-- $1 name of the installation, $2 keys: the links they are, also deleted ones, which keep their visits, but none that was purged.
SELECT source_key AS key, links.id::text AS "linkId"
FROM import_links JOIN links ON links.id = link_id
WHERE import_links.name = $1 AND source_key = ANY ($2::text[]) AND links.purged_at IS NULL
