-- A rule of the block list may show a page first instead of sending visitors nowhere.
ALTER TABLE blocks ADD COLUMN action text NOT NULL DEFAULT 'block'
  CONSTRAINT blocks_action_check CHECK (action IN ('block', 'warn'));

-- What visitors say of links whose page they were shown: a number for each link and cause, no text and nothing of who said it.
CREATE TABLE abuse_reports (
  id       bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT abuse_reports_pkey PRIMARY KEY,
  link_id  bigint NOT NULL CONSTRAINT abuse_reports_link_id_fkey REFERENCES links ON DELETE CASCADE,
  cause    text NOT NULL CONSTRAINT abuse_reports_cause_check CHECK (cause IN ('phishing', 'malware', 'spam', 'other')),
  reports  bigint NOT NULL DEFAULT 1,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT abuse_reports_link_id_cause_key UNIQUE (link_id, cause)
);
CREATE INDEX abuse_reports_newest ON abuse_reports (last_at, id);

-- Only that they are dismissed: of visitors anybody may send as many as limits allow, which must not push out what people did.
SELECT audit_table('abuse_reports', 'abuse-report', 'id', '{id}', '', '');
DROP TRIGGER audited_insert ON abuse_reports;
DROP TRIGGER audited_update ON abuse_reports;
