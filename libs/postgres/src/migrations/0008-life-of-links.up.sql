-- Purged for good: its visits and what it said are gone, its code stays taken.
-- url_hash: SHA-256 of the long URL in its normal form; null until somebody has computed it (findIfExists looks for the
-- text as well).
ALTER TABLE links
  ADD COLUMN note text,
  ADD COLUMN url_hash bytea,
  ADD COLUMN purged_at timestamptz;
CREATE INDEX links_by_url_hash ON links (url_hash, id) WHERE url_hash IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX links_without_url_hash ON links (id) WHERE url_hash IS NULL AND deleted_at IS NULL;
CREATE INDEX links_in_bin ON links (deleted_at, id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX links_purged_for_good ON links (id) WHERE purged_at IS NOT NULL;

-- Requests that came with an Idempotency-Key, and what they were answered: written by the transaction that did what
-- they asked for, so that there is one without the other never. Rows go after 24 hours.
CREATE TABLE idempotency_keys (
  api_key_id integer NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  key        text NOT NULL COLLATE "C",
  request    bytea NOT NULL,                   -- SHA-256 of what was asked for
  answer     text,                             -- null inside that transaction only
  results    integer NOT NULL DEFAULT 1,       -- how many links the answer speaks of; their sum is bounded
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (api_key_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at) INCLUDE (results);
