DROP TABLE idempotency_keys;
ALTER TABLE links DROP COLUMN note, DROP COLUMN url_hash, DROP COLUMN purged_at;
