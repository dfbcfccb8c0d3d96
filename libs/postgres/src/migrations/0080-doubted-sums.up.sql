-- Buckets whose sums were found to be something else than their visits, by a proof that somebody asked for: one range that holds all of them. No
-- answer made of sums of the range is exact until a rebuild or a verification of everything found all equal.
CREATE TABLE doubted_sums (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  from_time timestamptz NOT NULL,
  to_time   timestamptz NOT NULL,
  noted_at  timestamptz NOT NULL DEFAULT now()
);
