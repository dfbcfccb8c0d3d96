-- DuckDB: visits of files where they differ from the buckets. Of a visit in two files the first counts.
CREATE OR REPLACE TEMP TABLE held AS
SELECT event_id, link_id, bucket, checksum, filename, epoch_ms(occurred_at) AS event_time,
  row_number() OVER (PARTITION BY event_id ORDER BY filename) AS copy
FROM archived SEMI JOIN differing USING (link_id, bucket)
