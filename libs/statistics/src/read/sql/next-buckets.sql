-- $1 link (null: all), $2 from, $3 to, $4 how many rows at most. Rows of buckets with visits, oldest first: a bucket has one for
-- each class and slot, and one below zero is what a purge took.
SELECT (extract(epoch FROM bucket) * 1000)::float8 AS bucket, visits::float8 AS visits
FROM (
  (
    SELECT bucket, visits FROM link_traffic
    WHERE link_id = $1 AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
    ORDER BY bucket LIMIT $4
  )
  UNION ALL
  (
    SELECT bucket, visits FROM scope_traffic
    WHERE $1::bigint IS NULL AND scope = 'all' AND scope_id = '' AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
    ORDER BY bucket LIMIT $4
  )
) AS row
ORDER BY bucket
