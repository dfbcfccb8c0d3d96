-- $1 name of the installation, $2 [{place, authority, code}], $3 whether codes are loose: links that have that code, also
-- deleted ones, and the keys they were imported under, in one order.
SELECT wanted.place, links.id::text AS "linkId", links.code, links.deleted_at IS NOT NULL AS "isDeleted",
  kept.source_key AS key
FROM jsonb_to_recordset($2::jsonb) AS wanted (place integer, authority text, code text)
JOIN domains ON domains.authority = wanted.authority
JOIN links ON links.domain_id = domains.id AND lower(links.code) = lower(wanted.code COLLATE "C")
  AND ($3 OR links.code = wanted.code)
LEFT JOIN import_links AS kept ON kept.link_id = links.id AND kept.name = $1
ORDER BY wanted.place, kept.source_key COLLATE "C"
