-- {table}: rows of visits.
INSERT INTO filed_sums (bucket, class, group_id, target_host, short_host, referrer_host, visits, checksum)
SELECT date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00'), class, coalesce(group_id, ''), target_host, short_host,
  referrer_host, count(*), bit_xor(event_checksum(event_id))
FROM {table}
GROUP BY 1, 2, 3, 4, 5, 6
