-- Parallel arrays of what was published: $1 kind, $2 name, $3 class, $4 epoch, $5 p, $6 n; $7 own epoch. Whether some of it is newer than what this database
-- has: then it is from a backup.
SELECT coalesce(bool_or(
  published.epoch > $7 OR published.epoch = $7 AND (published.p > coalesce(own.p, 0) OR published.n > coalesce(own.n, 0))
), false) AS "isLost"
FROM unnest($1::smallint[], $2::text[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[])
  AS published (kind, name, class, epoch, p, n)
LEFT JOIN hosts ON hosts.kind = published.kind AND hosts.name = published.name
LEFT JOIN host_totals AS own
  ON own.kind = published.kind AND own.host_id = hosts.id AND own.class = published.class AND own.dc = ''
