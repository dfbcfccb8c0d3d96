-- Counts of hosts from elsewhere (kind 3 of HOST_KINDS), a row for each Idempotency-Key of whoever fed them ('key 7', 'user 3'). The row
-- decides what counts: a consumer gives it its counts once, in the transaction that books them. Kept for 35 days, longer than Kafka keeps a record.
CREATE TABLE host_batches (
  stream      text NOT NULL COLLATE "C",
  key         text NOT NULL COLLATE "C",
  body_hash   bytea NOT NULL,
  accepted_at timestamptz NOT NULL,
  lines       integer NOT NULL,
  visits      bigint NOT NULL,
  new_names   integer NOT NULL DEFAULT 0, -- that nobody had met when it was accepted
  names       text[],                     -- as hosts.name, once they are counted; null: not yet, or refused
  counts      bigint[],
  settled_at  timestamptz,                -- counted or refused
  refusal     text,
  reversed_at timestamptz,
  PRIMARY KEY (stream, key)
);
CREATE INDEX host_batches_by_age ON host_batches (accepted_at);
CREATE INDEX host_batches_of_new_names ON host_batches (stream, accepted_at) WHERE new_names > 0;

-- All that was ever fed, reversed or not. Up to 2^53 - 1 each sum of it is exact in every answer.
CREATE TABLE host_feed (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  visits    bigint NOT NULL DEFAULT 0 CHECK (visits BETWEEN 0 AND 9007199254740991)
);
INSERT INTO host_feed DEFAULT VALUES;

-- What batches counted whose rows are gone, so that all that is booked can be held against what was fed.
CREATE TABLE host_feed_ended (
  host_id integer PRIMARY KEY REFERENCES hosts,
  p       bigint NOT NULL,
  n       bigint NOT NULL
);

-- Reversals only: a feed of many batches would drive all else out of the log, and the batches themselves are kept.
SELECT audit_table(
  'host_batches', 'host-batch', 'key', '{body_hash,names,counts,new_names}', '',
  $when$WHEN (coalesce(current_setting('hopcount.actor', true), '') <> '')$when$
);
DROP TRIGGER audited_insert ON host_batches;
