-- $1 hours that files and buckets say different things of. Links with visits that would change in a bucket which a purge cut in two.
SELECT FROM relabel_moves AS move
JOIN links ON links.id = move.link_id
WHERE date_bin('1 hour', move.bucket, '2000-01-01 00:00:00+00') = ANY ($1::timestamptz[])
  AND links.purged_before > move.bucket AND links.purged_before < move.bucket + interval '15 minutes'
LIMIT 1
