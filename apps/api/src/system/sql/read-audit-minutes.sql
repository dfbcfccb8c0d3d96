-- $1 minute and $2 source of the last row of the page before, null at the beginning; $3 whether all, or only what is not equal; $4 how many.
SELECT minute, source, coalesce(status, 'open') AS status, visits::float8 AS reported, missing::float8 AS missing,
  answered::float8 AS answered, refused::float8 AS refused
FROM source_audits
WHERE ($1::timestamptz IS NULL OR (minute, source) < ($1::timestamptz, $2::text))
  AND ($3 OR status IS DISTINCT FROM 'equal' OR answered > 0 OR missing <> 0)
ORDER BY minute DESC, source DESC
LIMIT $4
