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

CREATE INDEX links_purged ON links (id) WHERE purged_before IS NOT NULL;
