DROP FUNCTION within_reach(integer, integer, integer, integer);
ALTER TABLE imports DROP COLUMN author_key_id;
ALTER TABLE links DROP COLUMN author_key_id;
ALTER TABLE api_keys
  DROP COLUMN prefix, DROP COLUMN scopes, DROP COLUMN authored_only, DROP COLUMN domain_id, DROP COLUMN no_orphans,
  DROP COLUMN previous_hash, DROP COLUMN previous_until, DROP COLUMN revoked_at, DROP CONSTRAINT api_keys_name_key;
