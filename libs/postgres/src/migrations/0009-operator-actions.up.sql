-- What operators did with the command line: one row for each operation that was executed. A row
-- whose ended_at stays NULL belongs to a command that runs, or that was killed.
CREATE TABLE operator_actions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  command text NOT NULL,
  arguments jsonb NOT NULL,
  operator text NOT NULL,
  cluster_id text,
  started_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  outcome text CHECK (outcome IN ('done', 'failed', 'mismatch')),
  error text,
  counts jsonb NOT NULL DEFAULT '{}'
);

-- What became of a dead letter; one without a row still waits. appended_at is the broker's time of the
-- letter: a topic that was made anew starts its offsets over, and its letters are other ones.
CREATE TABLE dead_letter_states (
  topic text NOT NULL,
  partition integer NOT NULL,
  letter_offset bigint NOT NULL,
  appended_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('redriven', 'discarded')),
  times integer NOT NULL DEFAULT 1,
  action_id bigint NOT NULL REFERENCES operator_actions (id),
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (topic, partition, letter_offset)
);
