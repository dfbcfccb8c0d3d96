-- The Kafka cluster whose offsets the checkpoints are. No row until the first consumer starts; the first one there decides.
CREATE TABLE ledger_cluster (
  singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  cluster_id text NOT NULL CHECK (cluster_id <> ''),
  bound_at   timestamptz NOT NULL DEFAULT now()
);

-- The ledger's incarnation changes when it is restored; the first one stays. An archive whose files are of neither is another ledger's.
ALTER TABLE ledger_incarnation ADD COLUMN first_incarnation uuid;
UPDATE ledger_incarnation SET first_incarnation = incarnation;
