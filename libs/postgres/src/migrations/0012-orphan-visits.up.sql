-- GETs answered 404 or 410, apart from the ledger: none of them is a visit of a link. One row per event;
-- occurred_at is the time inside event_id. Not partitioned: bounded by the gateways' rate and a retention
-- of its own, and read newest first by this key.
CREATE TABLE orphan_visits (
  occurred_at        timestamptz NOT NULL,
  event_id           uuid NOT NULL,
  type               smallint NOT NULL,        -- position in ORPHAN_VISIT_TYPES
  class              smallint NOT NULL,        -- position in VISIT_CLASSES
  enrichment_version smallint NOT NULL,
  domain             text NOT NULL COLLATE "C",
  path               text NOT NULL COLLATE "C", -- without the query string
  ip                 bigint,                   -- 64-bit keyed hash; null: opted out
  client_ip          inet,                     -- anonymised
  latitude           real,
  longitude          real,
  country            text NOT NULL COLLATE "C",
  region             text NOT NULL COLLATE "C",
  city               text NOT NULL COLLATE "C",
  referrer           text COLLATE "C",
  user_agent         text COLLATE "C",
  truncated          text[],
  source             text NOT NULL COLLATE "C",
  PRIMARY KEY (occurred_at, event_id)
);

-- Slotted counter of what stands in orphan_visits, by the partition an event came from. Only the sum
-- of its slots means something: a purge takes from one of them what was added to several.
CREATE TABLE orphan_visit_slots (
  potential_bot boolean NOT NULL,
  slot_id       smallint NOT NULL,
  visits        bigint NOT NULL,
  PRIMARY KEY (potential_bot, slot_id)
) WITH (fillfactor = 80);

-- Orphan visits that occurred before were deleted and stay so. Commits share-lock the row: whoever moves
-- the mark knows that every later commit sees it.
CREATE TABLE orphan_horizon (
  singleton     boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  purged_before timestamptz NOT NULL
);
INSERT INTO orphan_horizon (purged_before) VALUES ('-infinity');
