-- Visits of all links, of a domain's and of a group's, by 15 minutes and class: added in the commit, taken away by
-- purges. Each visit is in one row of each scope, so the rows of a scope add up to those of 'all'. The domain is the
-- link's (nothing moves a link to another one); the group is the one the visit was committed with (visits.group_id).
-- Bounded: after merging 5 rows (classes) of each scope and quarter of an hour in which it was visited.
CREATE TABLE scope_traffic (
  scope    text NOT NULL COLLATE "C" CHECK (scope IN ('all', 'domain', 'group')),
  scope_id text NOT NULL COLLATE "C",          -- '' for all; domains.id; groups.id. '' too: no group, or a link nobody knows
  bucket   timestamptz NOT NULL,
  class    smallint NOT NULL,
  slot_id  smallint NOT NULL DEFAULT 0,        -- of the partition (0 to 99); 100: purges and rebuilds. A bucket is the sum of its slots
  visits   bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (scope, scope_id, bucket, class, slot_id)
) WITH (fillfactor = 80);
CREATE INDEX scope_traffic_unmerged ON scope_traffic (bucket) WHERE slot_id > 0;
CREATE INDEX scope_traffic_by_time ON scope_traffic USING brin (bucket) WITH (autosummarize = on);

-- What was counted before. The groups of visits whose month was dropped are not known any more: theirs is ''.
SET LOCAL statement_timeout = 0;
INSERT INTO scope_traffic (scope, scope_id, bucket, class, visits, checksum)
SELECT 'all', '', bucket, class, sum(visits), bit_xor(checksum)
FROM link_traffic
GROUP BY bucket, class;
INSERT INTO scope_traffic (scope, scope_id, bucket, class, visits, checksum)
SELECT 'domain', coalesce(link.domain_id::text, ''), bucket, class, sum(visits), bit_xor(checksum)
FROM link_traffic AS traffic LEFT JOIN links AS link ON link.id = traffic.link_id
GROUP BY 2, bucket, class;
INSERT INTO scope_traffic (scope, scope_id, bucket, class, visits, checksum)
SELECT 'group', coalesce(group_id, ''), date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00'), class,
  count(*), bit_xor(event_checksum(event_id))
FROM visits
WHERE occurred_at >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
GROUP BY 2, 3, class;
INSERT INTO scope_traffic (scope, scope_id, bucket, class, visits, checksum)
SELECT 'group', '', bucket, class, sum(visits), bit_xor(checksum)
FROM link_traffic
WHERE bucket < (SELECT kept_from FROM ledger_retention)
GROUP BY bucket, class;

-- What a sealed day of the reporting zone adds up to, for people who ask PostgreSQL: of all links, domains and groups, and
-- of links with many visits. Made from the archive's files, and right as long as the row of the class says what the
-- buckets of the day say (visits, checksum): else the day is due again. Kept for ever: 6 rows at most of each scope and day.
CREATE TABLE day_aggregates (
  scope         text NOT NULL COLLATE "C" CHECK (scope IN ('all', 'domain', 'group', 'link')),
  scope_id      text NOT NULL COLLATE "C",     -- as in scope_traffic; links.id
  day_start     timestamptz NOT NULL,
  class         text NOT NULL COLLATE "C",     -- 'all', or a class of visits: visitors of several classes are one of 'all'
  day_end       timestamptz NOT NULL,
  visits        bigint NOT NULL,
  checksum      bigint NOT NULL,
  visitors      bigint NOT NULL,
  ips           bigint NOT NULL,
  aggregated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, scope_id, day_start, class)
);
CREATE INDEX day_aggregates_by_day ON day_aggregates (day_start);

-- Their visits by the values of a dimension: the most frequent ones by place, all others in one row of place 0.
CREATE TABLE day_aggregate_dimensions (
  scope     text NOT NULL COLLATE "C",
  scope_id  text NOT NULL COLLATE "C",
  day_start timestamptz NOT NULL,
  dimension text NOT NULL COLLATE "C",
  place     smallint NOT NULL,                 -- 1: the most visits
  value     text COLLATE "C",                  -- null: all others
  "values"  integer NOT NULL,                  -- how many that is
  human     bigint NOT NULL,
  bot       bigint NOT NULL,
  preview   bigint NOT NULL,
  prefetch  bigint NOT NULL,
  opted_out bigint NOT NULL,
  PRIMARY KEY (scope, scope_id, day_start, dimension, place)
);
CREATE INDEX day_aggregate_dimensions_by_day ON day_aggregate_dimensions (day_start);
