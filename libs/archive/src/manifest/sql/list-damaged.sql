-- $1 one file, or null: all. Damaged files on disk. "heldBy" is who has all that the file held: `archive`, other files; `ledger`, so that
-- it is sealed again; `nothing`: of some of its hours nobody has all visits. Those are of dropped months, which come first.
SELECT file.id, file.path, encode(file.sha256, 'hex') AS sha256, file.visits::float8 AS visits, file.period_start, file.period_end,
  CASE
    WHEN NOT EXISTS (
      SELECT
      FROM archive_file_hours AS own
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
        FROM link_traffic
        WHERE bucket >= own.hour AND bucket < own.hour + interval '1 hour'
      ) AS kept
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(part.visits), 0) AS visits, coalesce(bit_xor(part.checksum), 0) AS checksum
        FROM archive_file_hours AS part
        JOIN archive_files AS other ON other.id = part.file_id AND other.state = 'active'
        WHERE part.hour = own.hour
      ) AS filed
      WHERE own.file_id = file.id AND (kept.visits, kept.checksum) <> (filed.visits, filed.checksum)
    ) THEN 'archive'
    WHEN file.period_start >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity') THEN 'ledger'
    ELSE 'nothing'
  END AS "heldBy"
FROM archive_files AS file
WHERE file.state = 'damaged' AND file.deleted_at IS NULL AND ($1::uuid IS NULL OR file.id = $1)
ORDER BY file.period_start < (SELECT kept_from FROM ledger_retention) DESC NULLS LAST, file.period_start DESC, file.id
LIMIT 100
