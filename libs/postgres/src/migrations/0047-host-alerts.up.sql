-- Surges of hosts as they were told; rows are only added. One surge: the row that opened it, those by which it doubled, the one that closed it.
CREATE TABLE host_alerts (
  id          bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT host_alerts_pkey PRIMARY KEY,
  alert_id    bigint CONSTRAINT host_alerts_alert_id_fkey REFERENCES host_alerts ON DELETE CASCADE, -- null: this row opened it
  kind        smallint NOT NULL,                  -- its place in HOST_KINDS of contracts
  host        text NOT NULL COLLATE "C",          -- as hosts.name
  what        text NOT NULL CONSTRAINT host_alerts_what CHECK (what IN ('opened', 'escalated', 'closed')),
  at          timestamptz NOT NULL,               -- end of the five minutes that were looked at, in time of visits
  visits      bigint NOT NULL,                    -- in these five minutes
  base        double precision NOT NULL,          -- usual in five minutes
  is_new      boolean NOT NULL,                   -- too little was known of it: `base` is of what is above it
  reason      text,                               -- of closed ones
  explanation jsonb,                              -- null: closed, or one of too many at once
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT host_alerts_opened CHECK ((what = 'opened') = (alert_id IS NULL))
);
CREATE INDEX host_alerts_by_alert ON host_alerts (alert_id, id);
CREATE INDEX host_alerts_by_host ON host_alerts (kind, host, at);

-- What the search for surges goes on with, whoever does: a host that begins to surge, surges (with `alert_id`; once per kind and
-- host), or did within the hour.
CREATE TABLE host_surges (
  kind     smallint NOT NULL,
  host     text NOT NULL COLLATE "C",
  alert_id bigint CONSTRAINT host_surges_alert_id_fkey REFERENCES host_alerts ON DELETE CASCADE,
  state    jsonb NOT NULL,                        -- SurgeState of libs/hosts
  CONSTRAINT host_surges_pkey PRIMARY KEY (kind, host)
);

-- Up to when, in time of visits, windows were searched for surges; one row. Whoever moves it must have found it as they left it.
CREATE TABLE host_surge_search (
  only_row boolean NOT NULL DEFAULT true CONSTRAINT host_surge_search_pkey PRIMARY KEY CONSTRAINT host_surge_search_only_row CHECK (only_row),
  until    timestamptz NOT NULL,
  moved_at timestamptz                            -- by PostgreSQL's clock; who moves it goes on, others wait until nobody does
);
INSERT INTO host_surge_search (until) VALUES (date_bin('10 seconds', now(), '2000-01-01 00:00:00+00'));
