-- Visits that were purged after their month was dropped, by bucket and class. Buckets of their link, their domain and all links have
-- lost them; the group and the hosts of each are known to files alone, so sums by group and host still have them. Once files
-- hold what the buckets say, these sums are made what files say, and the rows go. Until then no sum of these is exact.
CREATE TABLE unattributed_purges (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  bucket timestamptz NOT NULL,
  class smallint NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL
);
CREATE INDEX unattributed_purges_bucket ON unattributed_purges (bucket);

-- Purges of before took such visits from '~unknown' hosts and from the group their link had by then, and nobody noted which: this
-- row stands for all of them until the worker has noted what a purge may have reached.
INSERT INTO unattributed_purges (bucket, class, visits, checksum) SELECT '-infinity', 0, 0, 0 FROM ledger_retention;
