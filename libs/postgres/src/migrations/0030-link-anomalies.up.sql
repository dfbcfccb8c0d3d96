-- Up to when closed quarters of an hour were searched for links with unusually many visits; one row.
CREATE TABLE anomaly_search (
  only_row boolean NOT NULL DEFAULT true CONSTRAINT anomaly_search_pkey PRIMARY KEY CONSTRAINT anomaly_search_only_row CHECK (only_row),
  until    timestamptz NOT NULL
);
INSERT INTO anomaly_search (until) VALUES (date_bin('15 minutes', now(), '2000-01-01 00:00:00+00'));

-- Of which links webhooks were told, and for which window: not told again before its cool-down is over. Then the row goes.
CREATE TABLE link_anomalies (
  link_id      bigint NOT NULL CONSTRAINT link_anomalies_pkey PRIMARY KEY,
  window_start timestamptz NOT NULL
);
