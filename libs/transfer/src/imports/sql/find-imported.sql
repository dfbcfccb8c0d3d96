-- $1 name of the installation, $2 keys: those that are links already, also deleted ones.
SELECT source_key AS key, links.id::text AS "linkId", links.long_url AS "longUrl", links.deleted_at IS NOT NULL AS "isDeleted"
FROM import_links JOIN links ON links.id = link_id
WHERE import_links.name = $1 AND source_key = ANY ($2::text[])
