-- $1 hours of which the active files do not hold what the buckets say: a damaged file on disk that has one of them.
SELECT path
FROM archive_files AS file
JOIN archive_file_hours AS own ON own.file_id = file.id AND own.hour = ANY ($1::timestamptz[])
WHERE file.state = 'damaged' AND file.deleted_at IS NULL
LIMIT 1
