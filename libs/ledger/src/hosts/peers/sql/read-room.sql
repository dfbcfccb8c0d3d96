-- How much more peers may have counted, and taken away, so that with all that was ever fed here it stays below 2^53: each sum of it is exact in every answer. The
-- caller has locked host_feed.
SELECT (9007199254740991 - visits - peers.p)::float8 AS p, (9007199254740991 - peers.n)::float8 AS n
FROM host_feed, (SELECT coalesce(sum(p), 0) AS p, coalesce(sum(n), 0) AS n FROM host_peers) AS peers
