-- $1 domain (null: $2 says which links), $2 links, $3 first bucket, $4 end. Which of them were visited in which buckets (parallel).
SELECT coalesce(array_agg(link_id), '{}') AS link_ids, coalesce(array_agg(bucket), '{}') AS buckets
FROM (
  SELECT traffic.link_id, traffic.bucket
  FROM link_traffic AS traffic
  JOIN links ON links.id = traffic.link_id
  WHERE links.domain_id = $1 AND traffic.bucket >= $3::timestamptz AND traffic.bucket < $4::timestamptz
  UNION
  SELECT link_id, bucket
  FROM link_traffic
  WHERE link_id = ANY ($2::bigint[]) AND bucket >= $3::timestamptz AND bucket < $4::timestamptz
) AS busy
