-- Link management --------------------------------------------------------------------------------

CREATE TABLE groups (
  id         text PRIMARY KEY COLLATE "C",
  name       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- authority is lower-case host[:port] as visitors reach it; exactly one row is the default.
CREATE TABLE domains (
  id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  authority  text NOT NULL COLLATE "C" UNIQUE,
  is_default boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX domains_one_default ON domains (is_default) WHERE is_default;

CREATE TABLE links (
  id            bigint PRIMARY KEY,            -- snowflake
  domain_id     integer NOT NULL REFERENCES domains,
  code          text NOT NULL COLLATE "C",     -- /aBc and /AbC are two links
  long_url      text NOT NULL,
  title         text,
  group_id      text COLLATE "C" REFERENCES groups,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  version       bigint NOT NULL DEFAULT 1,     -- an older cache value never replaces a newer one
  purged_before timestamptz,                   -- visits that occurred before stay gone after a replay
  deleted_at    timestamptz,
  UNIQUE (domain_id, code)
);
CREATE INDEX links_by_creation ON links (created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE tags (
  id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL COLLATE "C" UNIQUE
);

CREATE TABLE link_tags (
  link_id bigint NOT NULL REFERENCES links ON DELETE CASCADE,
  tag_id  integer NOT NULL REFERENCES tags ON DELETE CASCADE,
  PRIMARY KEY (link_id, tag_id)
);
CREATE INDEX link_tags_by_tag ON link_tags (tag_id);

-- Only the SHA-256 of a key is kept; keys carry 160 random bits, so no slow hash is needed.
CREATE TABLE api_keys (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text NOT NULL,
  key_hash     bytea NOT NULL UNIQUE,
  enabled      boolean NOT NULL DEFAULT true,
  expires_at   timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);

-- Snowflake worker ids, leased so that two processes never share one.
CREATE TABLE worker_leases (
  worker_id  smallint PRIMARY KEY,
  owner      text NOT NULL,
  expires_at timestamptz NOT NULL
);

-- The ledger -------------------------------------------------------------------------------------

-- One row per visit, for ever the truth; everything below is a fold of it. occurred_at is the time
-- inside event_id, so a late duplicate always meets the same partition and the key holds globally.
CREATE TABLE visits (
  occurred_at        timestamptz NOT NULL,
  event_id           uuid NOT NULL,
  link_id            bigint NOT NULL,
  visitor            bigint,                   -- 64-bit keyed hashes; null: opted out
  ip                 bigint,
  class              smallint NOT NULL,        -- position in VISIT_CLASSES
  enrichment_version smallint NOT NULL,
  latitude           real,
  longitude          real,
  client_ip          inet,                     -- anonymised
  group_id           text COLLATE "C",         -- the link's group when the visit was committed
  country            text NOT NULL COLLATE "C",
  region             text NOT NULL COLLATE "C",
  city               text NOT NULL COLLATE "C",
  os                 text NOT NULL COLLATE "C",
  os_version         text COLLATE "C",
  browser            text NOT NULL COLLATE "C",
  browser_version    text COLLATE "C",
  device             text NOT NULL COLLATE "C",
  network            text NOT NULL COLLATE "C",
  referrer_host      text NOT NULL COLLATE "C",
  language           text NOT NULL COLLATE "C",
  referrer           text COLLATE "C",
  user_agent         text COLLATE "C",
  destination        text COLLATE "C",
  utm                jsonb,
  truncated          text[],
  source             text NOT NULL COLLATE "C",
  PRIMARY KEY (occurred_at, event_id)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX visits_by_link ON visits (link_id, occurred_at);

-- What no month partition covers (a gateway whose clock is years off) is still counted.
CREATE TABLE visits_default PARTITION OF visits DEFAULT;

-- Creates the month partitions (UTC) that cover [from_time, to_time]. A month whose rows already sit
-- in the default partition is left there: they are counted all the same.
CREATE FUNCTION create_visit_partitions(from_time timestamptz, to_time timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  month_start timestamp := date_trunc('month', from_time AT TIME ZONE 'UTC');
  partition_name text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('create_visit_partitions'));
  WHILE month_start <= to_time AT TIME ZONE 'UTC' LOOP
    partition_name := 'visits_' || to_char(month_start, 'YYYY_MM');
    IF to_regclass(partition_name) IS NULL AND NOT EXISTS (
      SELECT FROM visits_default
      WHERE occurred_at >= month_start AT TIME ZONE 'UTC'
        AND occurred_at < (month_start + interval '1 month') AT TIME ZONE 'UTC'
    ) THEN
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF visits FOR VALUES FROM (%L) TO (%L)',
        partition_name,
        to_char(month_start, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(month_start + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
      );
      created := created + 1;
    END IF;
    month_start := month_start + interval '1 month';
  END LOOP;
  RETURN created;
END $$;

-- The 62 random bits of a UUIDv7, as eventIdChecksum() in contracts computes them.
CREATE FUNCTION event_checksum(event_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
  SELECT ('x' || right(replace(event_id::text, '-', ''), 16))::bit(64)::bigint & 4611686018427387903
$$;

-- Maintained by the commit stage, in the ledger's own transaction -------------------------------

-- Exact PV of every 15-minute UTC bucket: all IANA offsets are multiples of 15 minutes.
CREATE TABLE link_traffic (
  link_id  bigint NOT NULL,
  bucket   timestamptz NOT NULL,
  class    smallint NOT NULL,
  visits   bigint NOT NULL,
  checksum bigint NOT NULL,                    -- XOR of event_checksum of the bucket's visits
  PRIMARY KEY (link_id, bucket, class)
) WITH (fillfactor = 80);
CREATE INDEX link_traffic_by_time ON link_traffic USING brin (bucket);

-- Slotted counter: all-time totals. Two consumers own different partitions, hence different slots.
CREATE TABLE link_visit_slots (
  link_id       bigint NOT NULL,
  potential_bot boolean NOT NULL,
  slot_id       smallint NOT NULL,
  visits        bigint NOT NULL,
  PRIMARY KEY (link_id, potential_bot, slot_id)
) WITH (fillfactor = 80);

-- What each gateway process made durable, as committed; held against what it says it sent.
CREATE TABLE source_traffic (
  source   text NOT NULL COLLATE "C",
  minute   timestamptz NOT NULL,
  visits   bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (source, minute)
) WITH (fillfactor = 80);

CREATE TABLE consumer_checkpoints (
  consumer_group text NOT NULL,
  topic          text NOT NULL,
  partition      integer NOT NULL,
  next_offset    bigint NOT NULL,              -- all below is counted; never goes back but for a new topic
  owner_epoch    bigint NOT NULL,              -- raised by each new owner: the fence against zombies
  owner          text NOT NULL,
  last_record_at timestamptz,                  -- broker's time of the last record below next_offset
  updated_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer_group, topic, partition)
);

-- Part of every claim key; changed when the ledger is found to be older than Kafka's offsets, so
-- that no "done" mark of before is believed.
CREATE TABLE ledger_incarnation (
  singleton   boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
  changed_at  timestamptz NOT NULL DEFAULT now(),
  reason      text NOT NULL
);
INSERT INTO ledger_incarnation (reason) VALUES ('created');

-- One row per committed batch: which links (and which of their UTC hours) it touched. Consumed by
-- the totals job, so that the hot path writes one row where it would otherwise touch an index per link.
CREATE TABLE link_changes (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  link_ids bigint[] NOT NULL,
  hours    timestamptz[] NOT NULL              -- parallel to link_ids
);

-- Maintained after the fact, from the tables above ----------------------------------------------

-- Ordered all-time totals for lists; equal to the sum of slots once link_changes is empty.
CREATE TABLE link_totals (
  link_id         bigint PRIMARY KEY,
  visits          bigint NOT NULL,
  non_bot_visits  bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX link_totals_by_visits ON link_totals (visits DESC, link_id DESC);
CREATE INDEX link_totals_by_non_bot_visits ON link_totals (non_bot_visits DESC, link_id DESC);

CREATE TABLE fold_candidates (
  link_id bigint NOT NULL,
  hour    timestamptz NOT NULL,
  PRIMARY KEY (link_id, hour)
);
CREATE INDEX fold_candidates_by_hour ON fold_candidates (hour);

-- A unit's aggregates are valid if and only if (visits, checksum) equal those of its buckets.
CREATE TABLE link_folds (
  link_id            bigint NOT NULL,
  unit               text NOT NULL COLLATE "C" CHECK (unit IN ('hour', 'day')),
  unit_start         timestamptz NOT NULL,
  unit_end           timestamptz NOT NULL,
  visits             bigint NOT NULL,
  checksum           bigint NOT NULL,
  visitors           bigint[] NOT NULL,
  ips                bigint[] NOT NULL,
  enrichment_version smallint NOT NULL,
  folded_at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (link_id, unit, unit_start)
);

CREATE TABLE link_dimensions (
  link_id    bigint NOT NULL,
  unit       text NOT NULL COLLATE "C",
  unit_start timestamptz NOT NULL,
  dimension  text NOT NULL COLLATE "C",
  value      text NOT NULL COLLATE "C",
  human      bigint NOT NULL,
  bot        bigint NOT NULL,
  preview    bigint NOT NULL,
  prefetch   bigint NOT NULL,
  opted_out  bigint NOT NULL,
  PRIMARY KEY (link_id, unit, unit_start, dimension, value),
  FOREIGN KEY (link_id, unit, unit_start) REFERENCES link_folds ON DELETE CASCADE
);
