-- $1 [{place, authority (null: the default domain), code, long_url}]: links that have all of it.
SELECT wanted.place, links.id
FROM jsonb_to_recordset($1::jsonb) AS wanted (place integer, authority text, code text, long_url text)
JOIN domains ON domains.authority = wanted.authority OR (wanted.authority IS NULL AND domains.is_default)
JOIN links ON links.domain_id = domains.id AND links.code = wanted.code AND links.long_url = wanted.long_url
WHERE links.deleted_at IS NULL
