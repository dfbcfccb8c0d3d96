-- $1 link (null: all), $2 from (the ledger is whole there), $3 to, $4 how many differences at most. Sums of
-- the slots of link_traffic against the ledger, both ways.
SELECT
  coalesce(kept.link_id, ledger.link_id) AS link_id,
  coalesce(kept.bucket, ledger.bucket) AS bucket,
  coalesce(kept.class, ledger.class) AS class,
  jsonb_build_object('visits', ledger.visits, 'checksum', ledger.checksum::text) AS expected,
  jsonb_build_object('visits', kept.visits, 'checksum', kept.checksum::text) AS actual
FROM (
  SELECT link_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic
  WHERE ($1::bigint IS NULL OR link_id = $1) AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
  GROUP BY 1, 2, 3
) AS kept
FULL JOIN (
  SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM visits
  WHERE ($1::bigint IS NULL OR link_id = $1) AND occurred_at >= $2::timestamptz AND occurred_at < $3::timestamptz
  GROUP BY 1, 2, 3
) AS ledger
  ON ledger.link_id = kept.link_id AND ledger.bucket = kept.bucket AND ledger.class = kept.class
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(ledger.visits, 0), coalesce(ledger.checksum, 0))
LIMIT $4
