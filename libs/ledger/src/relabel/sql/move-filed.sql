-- Of months that the ledger dropped files are all there is.
INSERT INTO moves
SELECT link_id, bucket, group_id, from_class, class, visits, checksum, target_host, short_host, referrer_host
FROM relabel_moves
WHERE bucket < (SELECT kept_from FROM ledger_retention)
