-- DuckDB: what has to be sealed, known without looking at the ledger's rows.
SELECT link_id, bucket, sum(visits)::BIGINT AS visits, bit_xor(checksum) AS checksum
FROM (SELECT * FROM differing UNION ALL SELECT link_id, bucket, 1, checksum FROM surplus)
GROUP BY link_id, bucket
HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0
