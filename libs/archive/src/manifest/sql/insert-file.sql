-- $1 id, $2 path, $3 level, $4 and $5 period, $6 visits, $7 checksum, $8 bytes, $9 SHA-256, $10 incarnation; parallel
-- arrays: $11 hours, $12 visits, $13 checksums.
WITH file AS (
  INSERT INTO archive_files
    (id, path, level, period_start, period_end, visits, checksum, bytes, sha256, incarnation)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'hex'), $10)
  RETURNING id
)
INSERT INTO archive_file_hours (file_id, hour, visits, checksum)
SELECT file.id, part.* FROM file, unnest($11::timestamptz[], $12::bigint[], $13::bigint[]) AS part (hour, visits, checksum)
