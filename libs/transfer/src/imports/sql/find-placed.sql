-- $1 [{place, authority (null: the default domain), code}], $2 whether codes are loose: links that have that code, as they are.
SELECT wanted.place, links.id::text AS "linkId", links.code, links.long_url AS "longUrl"
FROM jsonb_to_recordset($1::jsonb) AS wanted (place integer, authority text, code text)
JOIN domains ON domains.authority = wanted.authority OR (wanted.authority IS NULL AND domains.is_default)
JOIN links ON links.domain_id = domains.id AND lower(links.code) = lower(wanted.code COLLATE "C")
  AND ($2 OR links.code = wanted.code)
WHERE links.deleted_at IS NULL
