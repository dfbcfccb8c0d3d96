-- $1 data centre. How many more names and classes may be kept of it ($2 at most), and how much more peers may have counted, and taken away, so that
-- all of it stays below 2^52. What was ever fed here has the other half of what each sum in an answer can say exactly: neither takes the other's room.
-- The caller keeps others from merging.
SELECT ($2::bigint - one.replicas)::float8 AS replicas, (4503599627370495 - peers.p)::float8 AS p, (4503599627370495 - peers.n)::float8 AS n
FROM host_peers AS one, (SELECT sum(p) AS p, sum(n) AS n FROM host_peers) AS peers
WHERE one.dc = $1
