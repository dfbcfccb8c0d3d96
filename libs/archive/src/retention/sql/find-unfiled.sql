-- $1 from, $2 to: hours of which the active files do not hold exactly the ledger's rows.
SELECT hour
FROM (
  SELECT date_bin('1 hour', occurred_at, '2000-01-01 00:00:00+00') AS hour,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM visits
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
  GROUP BY 1
) AS ledger
FULL JOIN (
  SELECT part.hour, sum(part.visits) AS visits, bit_xor(part.checksum) AS checksum
  FROM archive_file_hours AS part
  JOIN archive_files AS file ON file.id = part.file_id AND file.state = 'active'
  WHERE part.hour >= $1::timestamptz AND part.hour < $2::timestamptz
  GROUP BY 1
) AS filed USING (hour)
WHERE (coalesce(ledger.visits, 0), coalesce(ledger.checksum, 0)) <> (coalesce(filed.visits, 0), coalesce(filed.checksum, 0))
ORDER BY hour
