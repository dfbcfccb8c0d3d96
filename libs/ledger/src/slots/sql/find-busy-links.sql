-- $1 and $2 a day, $3 buckets at least. Links with so many buckets in it, and how many those are.
SELECT link_id::text AS id, count(*)::integer AS buckets
FROM link_traffic
WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz
GROUP BY link_id
HAVING count(*) >= $3
ORDER BY link_id
