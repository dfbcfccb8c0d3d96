-- Quarters of an hour of hosts that had no visits for long, a row a host: out of host_traffic and its indexes, which are as large as what is
-- asked and added to. Parallel arrays; a quarter and class may come twice, what counts is the sum. Totals stay where they are.
CREATE TABLE quiet_host_traffic (
  host_id      integer PRIMARY KEY REFERENCES hosts,
  kind         smallint NOT NULL,
  first_bucket timestamptz NOT NULL,
  last_bucket  timestamptz NOT NULL,
  quarters     integer[] NOT NULL,  -- of 15 minutes since 1970
  classes      smallint[] NOT NULL,
  p            bigint[] NOT NULL,
  n            bigint[],            -- null: nothing was taken away
  checksums    bigint[] NOT NULL
);

-- As host_traffic has them; first_bucket and last_bucket are of the host, for who looks for a time.
CREATE VIEW quiet_host_buckets AS
SELECT kind, host_id, to_timestamp(part.quarter * 900.0) AS bucket, part.class, '' COLLATE "C" AS dc,
  part.p, coalesce(part.n, 0) AS n, part.checksum, first_bucket, last_bucket
FROM quiet_host_traffic AS quiet, unnest(quarters, classes, quiet.p, quiet.n, checksums) AS part (quarter, class, p, n, checksum);

-- All that is counted of hosts by quarters, wherever it is kept: to be added up.
CREATE VIEW host_buckets AS
SELECT kind, host_id, bucket, class, dc, p, n, checksum, bucket AS first_bucket, bucket AS last_bucket FROM host_traffic
UNION ALL
SELECT kind, host_id, bucket, class, dc, p, n, checksum, first_bucket, last_bucket FROM quiet_host_buckets;
