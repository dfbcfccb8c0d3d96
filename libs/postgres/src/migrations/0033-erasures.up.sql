-- People whose visits were erased: what occurred from one instant to another of a visitor, or of an address, stays out,
-- however often it comes again. Nothing of them but the hash, and no longer than the ledger could take such a visit.
CREATE TABLE erasures (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person          text NOT NULL COLLATE "C" CHECK (person IN ('visitor', 'ip')),  -- which column of visits
  hash            bigint NOT NULL,
  occurred_from   timestamptz NOT NULL,
  occurred_before timestamptz NOT NULL,
  started_at      timestamptz NOT NULL DEFAULT now(),
  erased_at       timestamptz,                 -- null: not everywhere yet
  CONSTRAINT erasures_of_a_time UNIQUE (person, hash, occurred_from)
);

-- By which rows go.
CREATE INDEX erasures_by_end ON erasures (occurred_before);
