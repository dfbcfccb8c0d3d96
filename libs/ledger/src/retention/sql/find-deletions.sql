-- $1 from, $2 to: who is taking visits of that time out of every sum. Rows that go or come beside them would be taken out
-- twice, or not at all. An erasure gives a sign of life before each step (started_at); one that gave none for a day was
-- killed, or could not be finished, and is run again if at all: nothing waits for it.
(
  SELECT 'visits of it are being purged' AS deletion FROM unfinished_purges AS purge
  WHERE purge.purged_before > $1::timestamptz AND EXISTS (
    SELECT FROM link_traffic AS traffic
    WHERE traffic.link_id = purge.link_id AND traffic.bucket >= $1 AND traffic.bucket < $2::timestamptz
  )
  LIMIT 1
)
UNION ALL
(
  SELECT 'people are being erased from it' FROM erasures
  WHERE erased_at IS NULL AND started_at > now() - interval '1 day'
    AND occurred_from < $2::timestamptz AND occurred_before > $1::timestamptz
  LIMIT 1
)
