-- Links visited so much that their counter is spread over slots and their open hours are folded as they
-- are counted. A link without a row is cold: one slot, nothing folded before its hour is over.
CREATE TABLE link_heat (
  link_id     bigint PRIMARY KEY,
  heat        bigint NOT NULL,      -- visits of the open hour, and at least of the last two buckets
  slots       smallint NOT NULL CHECK (slots BETWEEN 1 AND 100),
  folded_from timestamptz,          -- hours from here on are folded by the commits; null: none
  changed_at  timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- What one commit added to an hour of a hot link. An hour's fold is its row in link_folds and the sum of
-- these; they are merged into the former from time to time. Ids may repeat between them.
CREATE TABLE link_fold_deltas (
  link_id            bigint NOT NULL,
  hour               timestamptz NOT NULL,
  id                 bigint GENERATED ALWAYS AS IDENTITY,
  visits             bigint NOT NULL,
  checksum           bigint NOT NULL,
  visitors           bigint[] NOT NULL,
  ips                bigint[] NOT NULL,
  enrichment_version smallint NOT NULL,
  -- Parallel arrays: a value of a dimension, and its visits by class.
  dimensions         text[] NOT NULL,
  dimension_values   text[] NOT NULL,
  human              bigint[] NOT NULL,
  bot                bigint[] NOT NULL,
  preview            bigint[] NOT NULL,
  prefetch           bigint[] NOT NULL,
  opted_out          bigint[] NOT NULL,
  PRIMARY KEY (link_id, hour, id)
);

-- How far a repair of kept numbers has come, so that it goes on where it was killed.
CREATE TABLE statistics_repairs (
  name        text PRIMARY KEY COLLATE "C",
  after_link  bigint NOT NULL,
  links       bigint NOT NULL DEFAULT 0,
  repaired    bigint NOT NULL DEFAULT 0,
  started_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
