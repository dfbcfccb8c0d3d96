-- $1: active files not checked since, the longest unchecked first; $2 how many.
SELECT id, path, encode(sha256, 'hex') AS sha256, visits::float8 AS visits, bytes::float8 AS bytes
FROM archive_files
WHERE state = 'active' AND checked_at < $1::timestamptz
ORDER BY checked_at
LIMIT $2
