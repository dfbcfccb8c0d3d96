-- DuckDB: what the archive lacks (or has too much, below zero) of each link and bucket.
CREATE OR REPLACE TEMP TABLE differing AS
SELECT link_id, bucket,
  coalesce(kept.visits, 0) - coalesce(filed.visits, 0) AS visits,
  xor(coalesce(kept.checksum, 0), coalesce(filed.checksum, 0)) AS checksum
FROM kept FULL JOIN filed USING (link_id, bucket)
WHERE kept.visits IS DISTINCT FROM filed.visits OR kept.checksum IS DISTINCT FROM filed.checksum
