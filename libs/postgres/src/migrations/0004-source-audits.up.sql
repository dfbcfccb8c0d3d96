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
