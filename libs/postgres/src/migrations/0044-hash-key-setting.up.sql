-- What hashes of people are made with, as consumers have it: a process that was set otherwise is told apart. Without the row
-- (deleted to begin anew) the next consumer's is taken as it is.
CREATE TABLE hash_key_setting (
  singleton   boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  fingerprint text,                            -- of the secret; null: no consumer has started yet
  rotations   text NOT NULL,                   -- HASH_KEY_ROTATIONS
  changed_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO hash_key_setting (rotations) VALUES ('');
