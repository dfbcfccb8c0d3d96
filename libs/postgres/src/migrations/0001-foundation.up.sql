-- Link management --------------------------------------------------------------------------------

CREATE EXTENSION IF NOT EXISTS pg_trgm;        -- part of every PostgreSQL package; a trusted extension

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
  -- What a search looks through, beside domain and tags; lower-cased once, not for every row of every search.
  search_text   text NOT NULL GENERATED ALWAYS AS (
    lower((code || E'\x1f' || long_url || E'\x1f' || coalesce(title, '')) COLLATE "default")
  ) STORED,
  UNIQUE (domain_id, code)
);
-- A page far down is reached without touching the rows before it: each order has all it needs in its index.
CREATE INDEX links_by_creation ON links (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX links_by_code ON links (code, id) WHERE deleted_at IS NULL;
CREATE INDEX links_by_long_url ON links (long_url, id) WHERE deleted_at IS NULL;
CREATE INDEX links_by_title ON links (title NULLS FIRST, id) WHERE deleted_at IS NULL;
CREATE INDEX links_by_text ON links USING gin (search_text gin_trgm_ops) WHERE deleted_at IS NULL;
CREATE INDEX links_deleted ON links (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX links_purged ON links (id) WHERE purged_before IS NOT NULL;

CREATE TABLE tags (
  id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL COLLATE "C" UNIQUE
);

CREATE TABLE link_tags (
  link_id  bigint NOT NULL REFERENCES links ON DELETE CASCADE,
  tag_id   integer NOT NULL REFERENCES tags ON DELETE CASCADE,
  position smallint NOT NULL DEFAULT 0,        -- clients read tags back in the order they gave them
  PRIMARY KEY (link_id, tag_id)
);
CREATE INDEX link_tags_by_tag ON link_tags (tag_id, link_id);

-- Only the SHA-256 of a key is kept; keys carry 178 random bits, so no slow hash is needed.
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

-- One row per visit, for ever the truth; everything below is derived from it. occurred_at is the time
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
-- in the default partition is left there: they are counted all the same. Every commit waits behind a
-- creation that waits for an open transaction, so it gives up after a second: the worker tries again.
CREATE FUNCTION create_visit_partitions(from_time timestamptz, to_time timestamptz) RETURNS integer
LANGUAGE plpgsql
SET lock_timeout = '1s'
AS $$
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

-- Before this instant partitions of the ledger were dropped and only folds remain; no row: none was.
CREATE TABLE ledger_retention (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  kept_from timestamptz NOT NULL
);

-- What the fold writes, the reader reads and verify compares: one definition, so that they cannot
-- disagree. Ranges are half-open and parallel; rows are the link's visits in them, counted by class
-- (columns in the order of VISIT_CLASSES). Every visit has one value in each dimension.
-- A place is named with what holds it: Paris in France and Paris in Texas are two values.
CREATE FUNCTION ledger_dimensions(of_link bigint, starts timestamptz[], ends timestamptz[])
RETURNS TABLE (dimension text, value text, human bigint, bot bigint, preview bigint, prefetch bigint, opted_out bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 300
SET jit = off
AS $$
  WITH counted AS (
    SELECT
      CASE
        WHEN grouping(visit.country) = 0 THEN 'country'
        WHEN grouping(visit.region) = 0 THEN 'region'
        WHEN grouping(visit.city) = 0 THEN 'city'
        WHEN grouping(visit.os) = 0 THEN 'os'
        WHEN grouping(visit.browser) = 0 THEN 'browser'
        WHEN grouping(visit.device) = 0 THEN 'device'
        WHEN grouping(visit.network) = 0 THEN 'network'
        WHEN grouping(visit.referrer_host) = 0 THEN 'referrer'
        ELSE 'language'
      END AS dimension,
      coalesce(
        visit.country, visit.region, visit.city, visit.os, visit.browser, visit.device, visit.network,
        visit.referrer_host, visit.language
      ) AS value,
      visit.class,
      count(*) AS visits
    FROM (
      SELECT
        ledger.class, ledger.country, ledger.os, ledger.browser, ledger.device, ledger.network,
        ledger.referrer_host, ledger.language,
        CASE WHEN ledger.region = 'unknown' OR ledger.country = 'unknown' THEN ledger.region
          ELSE ledger.region || ', ' || ledger.country END AS region,
        CASE WHEN ledger.city = 'unknown' OR ledger.country = 'unknown' THEN ledger.city
          ELSE ledger.city || ', ' || ledger.country END AS city
      FROM unnest(starts, ends) AS span (from_time, to_time)
      -- OFFSET 0 keeps the planner from reading all of the link's visits and sifting them by range after.
      CROSS JOIN LATERAL (
        SELECT * FROM visits
        WHERE link_id = of_link AND occurred_at >= span.from_time AND occurred_at < span.to_time
        OFFSET 0
      ) AS ledger
    ) AS visit
    GROUP BY GROUPING SETS (
      (class, country), (class, region), (class, city), (class, os), (class, browser), (class, device),
      (class, network), (class, referrer_host), (class, language)
    )
  )
  SELECT
    counted.dimension,
    counted.value,
    coalesce(sum(visits) FILTER (WHERE class = 0), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 1), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 2), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 3), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 4), 0)::bigint
  FROM counted
  GROUP BY counted.dimension, counted.value
$$;

-- Maintained by the commit stage, in the ledger's own transaction -------------------------------

-- Exact PV of every 15-minute UTC bucket: all IANA offsets are multiples of 15 minutes.
CREATE TABLE link_traffic (
  link_id  bigint NOT NULL,
  bucket   timestamptz NOT NULL,
  class    smallint NOT NULL,
  slot_id  smallint NOT NULL DEFAULT 0,        -- of the partition it was counted from; a bucket is the sum of its slots
  visits   bigint NOT NULL,
  checksum bigint NOT NULL,                    -- XOR of event_checksum of the visits
  PRIMARY KEY (link_id, bucket, class, slot_id)
) WITH (fillfactor = 80);
-- What closed buckets still have in other slots than 0, for SlotMerger.
CREATE INDEX link_traffic_unmerged ON link_traffic (bucket) WHERE slot_id > 0;
CREATE INDEX link_traffic_by_time ON link_traffic USING brin (bucket) WITH (autosummarize = on);

-- Slotted counter: all-time totals. Two consumers own different partitions, hence different slots.
CREATE TABLE link_visit_slots (
  link_id       bigint NOT NULL,
  potential_bot boolean NOT NULL,
  slot_id       smallint NOT NULL,
  visits        bigint NOT NULL,
  PRIMARY KEY (link_id, potential_bot, slot_id)
) WITH (fillfactor = 80);
CREATE INDEX link_visit_slots_spread ON link_visit_slots (link_id) WHERE slot_id > 0;

-- What each gateway process made durable, as committed; held against what it says it sent.
CREATE TABLE source_traffic (
  source   text NOT NULL COLLATE "C",
  minute   timestamptz NOT NULL,
  slot_id  smallint NOT NULL DEFAULT 0,        -- as in link_traffic
  visits   bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (source, minute, slot_id)
) WITH (fillfactor = 80);
CREATE INDEX source_traffic_unmerged ON source_traffic (minute) WHERE slot_id > 0;
-- The reconciler looks at the last days every few seconds, and old minutes go.
CREATE INDEX source_traffic_by_minute ON source_traffic (minute);

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

-- Changes of links that gateways have not been told of yet. No foreign key: a row goes within a second.
CREATE TABLE link_outbox (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  link_id    bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);

-- Part of the keys of claims and of copies of links; changed when the ledger is found to be older than Kafka's
-- offsets, so that no "done" mark and no copy of before is believed.
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

-- Ordered all-time totals for lists; equal to the sum of slots once link_changes is empty. A link has its
-- row from its creation on; listed: it exists and is not deleted.
CREATE TABLE link_totals (
  link_id         bigint PRIMARY KEY,
  visits          bigint NOT NULL,
  non_bot_visits  bigint NOT NULL,
  listed          boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80);
CREATE INDEX link_totals_by_visits ON link_totals (visits, link_id) WHERE listed;
CREATE INDEX link_totals_by_non_bot_visits ON link_totals (non_bot_visits, link_id) WHERE listed;

-- How many links each domain has that are not deleted, as a sum over slots: a slot belongs to a
-- connection, so that links created at the same time do not wait for each other.
CREATE TABLE link_counts (
  domain_id integer NOT NULL REFERENCES domains,
  slot      smallint NOT NULL,
  links     bigint NOT NULL,
  PRIMARY KEY (domain_id, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION add_to_link_counts(domain_ids integer[], step integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_counts AS kept (domain_id, slot, links)
  SELECT domain_id, pg_backend_pid() % 16, count(*) * step FROM unnest(domain_ids) AS changed (domain_id)
  GROUP BY domain_id ORDER BY domain_id
  ON CONFLICT (domain_id, slot) DO UPDATE SET links = kept.links + excluded.links
$$;

CREATE FUNCTION keep_link_lists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM after WHERE deleted_at IS NULL), 1);
    INSERT INTO link_totals (link_id, visits, non_bot_visits, listed)
    SELECT id, 0, 0, deleted_at IS NULL FROM after ORDER BY id
    ON CONFLICT (link_id) DO UPDATE SET listed = excluded.listed;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM before WHERE deleted_at IS NULL), -1);
    UPDATE link_totals SET listed = false FROM before WHERE link_id = id;
  ELSIF EXISTS (
    SELECT FROM before JOIN after USING (id)
    WHERE (before.deleted_at IS NULL, before.domain_id) <> (after.deleted_at IS NULL, after.domain_id)
  ) THEN
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM before WHERE deleted_at IS NULL), -1);
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM after WHERE deleted_at IS NULL), 1);
    UPDATE link_totals SET listed = deleted_at IS NULL FROM after WHERE link_id = id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER links_created AFTER INSERT ON links REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION keep_link_lists();
CREATE TRIGGER links_changed AFTER UPDATE ON links REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION keep_link_lists();
CREATE TRIGGER links_removed AFTER DELETE ON links REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION keep_link_lists();

-- hour_due is set when the totals job has seen a change of the hour since it was last folded. The folder
-- clears it before it reads the ledger, so a visit that arrives meanwhile sets it again.
CREATE TABLE fold_candidates (
  link_id  bigint NOT NULL,
  hour     timestamptz NOT NULL,
  hour_due boolean NOT NULL DEFAULT true,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (link_id, hour)
);
CREATE INDEX fold_candidates_by_hour ON fold_candidates (hour);
CREATE INDEX fold_candidates_due ON fold_candidates (hour) WHERE hour_due;

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

-- Links visited so much that their counter is spread over slots and their open hours are folded as they
-- are counted. A link without a row is cold: one slot, nothing folded before its hour is over.
CREATE TABLE link_heat (
  link_id     bigint PRIMARY KEY,
  heat        bigint NOT NULL,      -- visits of the open hour, and at least of the last two buckets
  slots       smallint NOT NULL CHECK (slots BETWEEN 1 AND 100),
  folded_from timestamptz,          -- hours from here on are folded by the commits; null: none
  changed_at  timestamptz NOT NULL DEFAULT now(),
  -- Set by an operator, whatever the link's heat; null: its heat decides.
  pinned_slots smallint CHECK (pinned_slots BETWEEN 1 AND 100)
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

-- How far the backfill of slots has come, so that it goes on where it was killed.
CREATE TABLE slot_backfill (
  singleton   boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  after_link  bigint NOT NULL,
  links       bigint NOT NULL DEFAULT 0,
  filled      bigint NOT NULL DEFAULT 0,
  started_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);

-- Purges -------------------------------------------------------------------------------------------

-- What a purge took out of the ledger, or kept from ever entering it: the event id and its source only,
-- nothing of the visitor. Rows here and in visits together are what source_traffic counts, so that a
-- purge is no loss to those who hold gateways' audits against it, and a late first arrival counts once.
CREATE TABLE purged_visits (
  occurred_at timestamptz NOT NULL,
  event_id    uuid NOT NULL,
  link_id     bigint NOT NULL,
  source      text NOT NULL COLLATE "C",
  PRIMARY KEY (occurred_at, event_id)
);

-- Written with the mark on the link, removed with the purge's last transaction: a process that dies in
-- between leaves the row, and a job goes on from there.
CREATE TABLE unfinished_purges (
  link_id       bigint PRIMARY KEY REFERENCES links,
  purged_before timestamptz NOT NULL,
  started_at    timestamptz NOT NULL DEFAULT now()
);

-- Links whose purge ended in the last minutes: a folder that began before may still write a fold of what is gone.
CREATE TABLE finished_purges (
  link_id     bigint PRIMARY KEY REFERENCES links,
  finished_at timestamptz NOT NULL DEFAULT now()
);

-- Audits: what gateways say against what was counted -----------------------------------------------

-- What each gateway process says it made durable, minute by minute (topic visits.audit); held
-- against source_traffic once all of it must have been counted.
CREATE TABLE source_audits (
  source      text NOT NULL COLLATE "C",
  minute      timestamptz NOT NULL,
  sequence    integer NOT NULL,                -- the higher one replaces the lower one
  visits      bigint NOT NULL,
  checksum    bigint NOT NULL,                 -- XOR of event_checksum of those visits
  answered    bigint NOT NULL,                 -- redirects whose visit nothing could hold
  refused     bigint NOT NULL,                 -- requests answered 503 for that reason
  in_doubt    bigint NOT NULL,                 -- of both: perhaps in Kafka, so perhaps counted
  final       boolean NOT NULL,                -- the process ended in good order; this is its last word
  received_at timestamptz NOT NULL DEFAULT now(),
  -- null: its visits may still be on their way; in-doubt: no more than in_doubt counted beyond visits
  status      text CHECK (status IN ('equal', 'in-doubt', 'missing', 'surplus')),
  missing     bigint NOT NULL DEFAULT 0,       -- visits said durable and not counted; negative: counted beyond them
  PRIMARY KEY (source, minute)
);
-- Statistics ask for what is not counted in a range, and nearly every minute has none of it.
CREATE INDEX source_audits_uncounted ON source_audits (minute) WHERE answered > 0 OR missing <> 0;
CREATE INDEX source_audits_by_minute ON source_audits (minute);
CREATE INDEX source_audits_open ON source_audits (received_at)
WHERE status IS NULL OR status IN ('missing', 'surplus');

-- Visits in a dead letter, by event id: not counted, and not lost in silence either.
CREATE TABLE refused_visits (
  occurred_at timestamptz NOT NULL,
  event_id    uuid NOT NULL,
  source      text NOT NULL COLLATE "C",
  reason      text NOT NULL,
  refused_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (occurred_at, event_id)
);

-- Consumers ----------------------------------------------------------------------------------------

-- What a consumer has in hand before it knows that it survives it: at most one row a partition, written
-- only for the first batch after an assignment and deleted when that is counted. A row somebody else
-- left behind tells of a death, and how many records were in hand.
CREATE TABLE batch_attempts (
  consumer_group text NOT NULL,
  topic          text NOT NULL,
  partition      integer NOT NULL,
  next_offset    bigint NOT NULL,              -- first record in hand
  attempts       integer NOT NULL,             -- times in a row that work began there and was not ended
  owner          text NOT NULL,
  updated_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer_group, topic, partition)
);

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

-- Operators ----------------------------------------------------------------------------------------

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

-- Orphan visits ------------------------------------------------------------------------------------

-- GETs answered 404 or 410, apart from the ledger: none of them is a visit of a link. One row per event;
-- occurred_at is the time inside event_id. Not partitioned: bounded by age and number (ORPHAN_RETENTION_DAYS,
-- ORPHAN_VISITS_KEPT), and read newest first by this key.
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

-- Totals count the table by class.
CREATE INDEX orphan_visits_by_class ON orphan_visits (class);

-- Orphan visits that occurred before were deleted and stay so.
CREATE TABLE orphan_horizon (
  singleton     boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  purged_before timestamptz NOT NULL
);
INSERT INTO orphan_horizon (purged_before) VALUES ('-infinity');
