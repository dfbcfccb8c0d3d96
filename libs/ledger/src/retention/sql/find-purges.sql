-- $1 from, $2 to: a purge under way of a link that has visits there. Its rows would go without being taken out of sums.
SELECT FROM unfinished_purges AS purge
WHERE purge.purged_before > $1::timestamptz AND EXISTS (
  SELECT FROM link_traffic AS traffic
  WHERE traffic.link_id = purge.link_id AND traffic.bucket >= $1 AND traffic.bucket < $2::timestamptz
)
LIMIT 1
