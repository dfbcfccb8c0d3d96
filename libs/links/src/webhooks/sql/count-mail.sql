-- $1 now, $2 address, $3 mails of a day (UTC) to it at most, $4 to all addresses. The limit that was reached; null: one more was counted.
WITH today AS (
  SELECT ($1::timestamptz AT TIME ZONE 'UTC')::date AS day
), sent AS (
  SELECT coalesce(sum(mails), 0) AS mails, coalesce(sum(mails) FILTER (WHERE address = $2), 0) AS to_address
  FROM alert_mails JOIN today USING (day)
), counted AS (
  INSERT INTO alert_mails AS known (day, address, mails)
  SELECT day, $2, 1 FROM today, sent WHERE to_address < $3 AND sent.mails < $4
  ON CONFLICT ON CONSTRAINT alert_mails_pkey DO UPDATE SET mails = known.mails + 1
)
SELECT CASE WHEN to_address >= $3 THEN 'address' WHEN mails >= $4 THEN 'all' END AS reached FROM sent
