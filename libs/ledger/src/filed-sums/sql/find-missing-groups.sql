-- $1/$2 from and to. What groups lack in sound buckets, or have too much.
INSERT INTO missing_sums (kind, name, bucket, class, visits, checksum)
SELECT NULL, name, bucket, class, sum(visits), bit_xor(checksum)
FROM (
  SELECT group_id AS name, bucket, class, visits, checksum FROM filed_sums
  UNION ALL
  SELECT scope_id, bucket, class, -visits, checksum FROM scope_traffic WHERE scope = 'group'
) AS part
JOIN sound_buckets USING (bucket)
WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz
GROUP BY 2, 3, 4
HAVING (sum(visits), bit_xor(checksum)) <> (0, 0)
