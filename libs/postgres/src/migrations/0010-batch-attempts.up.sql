-- What a consumer has in hand before it knows that it survives it: at most one row a partition, written
-- only for the first batch after an assignment and deleted when that is counted. A row somebody else
-- left behind tells of a death, and how many records were in hand.
CREATE TABLE batch_attempts (
  consumer_group text NOT NULL,
  topic          text NOT NULL,
  partition      integer NOT NULL,
  next_offset    bigint NOT NULL,              -- first record in hand
  attempts       integer NOT NULL,             -- times in a row that work began there and was not ended
  owner          text NOT NULL,
  updated_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer_group, topic, partition)
);
