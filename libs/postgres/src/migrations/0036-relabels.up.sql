-- Which labels the ledger, its files and all sums have: another number after each time history was labelled anew. Sums do not
-- have labels in their checksums, so whoever makes something of visits to keep it holds against this that they are still the same.
CREATE TABLE ledger_labels (
  singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  generation bigint NOT NULL DEFAULT 0,
  changed_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO ledger_labels DEFAULT VALUES;

-- Runs of `hopcount relabel`, of which one is open at most. How far it has read the ledger is its key: who goes on starts there, and
-- two who do cannot both move it.
CREATE TABLE relabels (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  range_from   timestamptz NOT NULL,
  range_to     timestamptz NOT NULL,
  rules        smallint NOT NULL,              -- ENRICHMENT_VERSION
  kept_from    timestamptz,                    -- of ledger_retention as it began
  read_to_time timestamptz NOT NULL,
  read_to_id   uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  visits       bigint NOT NULL DEFAULT 0,      -- read in the ledger
  started_at   timestamptz NOT NULL DEFAULT now(),
  ended_at     timestamptz,
  changed      bigint                          -- visits of which the class is another one now; null: given up
);
CREATE UNIQUE INDEX relabels_open ON relabels ((true)) WHERE ended_at IS NULL;

-- What the open run will change: rows of the ledger,
CREATE TABLE relabel_visits (
  occurred_at  timestamptz NOT NULL,
  event_id     uuid NOT NULL,
  from_class   smallint NOT NULL,
  class        smallint NOT NULL,
  class_reason smallint NOT NULL,
  channel      text NOT NULL COLLATE "C",
  PRIMARY KEY (occurred_at, event_id)
);

-- files, of which each has been written anew aside,
CREATE TABLE relabel_files (
  file_id    uuid PRIMARY KEY,
  added      jsonb,                            -- the file that takes its place; null: none of its visits changes
  written_at timestamptz NOT NULL DEFAULT now()
);

-- and what each of these moves from class to class.
CREATE TABLE relabel_moves (
  file_id    uuid NOT NULL REFERENCES relabel_files ON DELETE CASCADE,
  link_id    bigint NOT NULL,
  bucket     timestamptz NOT NULL,
  group_id   text NOT NULL COLLATE "C",
  from_class smallint NOT NULL,
  class      smallint NOT NULL,
  visits     bigint NOT NULL,
  checksum   bigint NOT NULL
);
CREATE INDEX relabel_moves_by_file ON relabel_moves (file_id);
