-- Records retention removed before they were counted: nobody can count them any more, so nobody may
-- forget them. Written in the statement that moves the checkpoint past them, so each gap stands here once.
CREATE TABLE lost_offsets (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  consumer_group text NOT NULL,
  topic          text NOT NULL,
  partition      integer NOT NULL,
  from_offset    bigint NOT NULL,              -- first record that is gone
  to_offset      bigint NOT NULL,              -- first record the log still had
  last_record_at timestamptz,                  -- broker's time of the last record counted before the gap
  found_at       timestamptz NOT NULL DEFAULT now(),
  CHECK (from_offset < to_offset)
);
