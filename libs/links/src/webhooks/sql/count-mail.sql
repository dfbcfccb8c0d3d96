-- $1 now, $2 address, $3 mails of a day (UTC) at most. A row: one more may be sent there, and is counted.
INSERT INTO alert_mails AS sent (day, address, mails)
VALUES (($1::timestamptz AT TIME ZONE 'UTC')::date, $2, 1)
ON CONFLICT ON CONSTRAINT alert_mails_pkey DO UPDATE SET mails = sent.mails + 1 WHERE sent.mails < $3
RETURNING mails
