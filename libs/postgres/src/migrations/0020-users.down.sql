DROP FUNCTION within_reach(integer, integer, text, integer, integer, text[]);
DELETE FROM idempotency_keys WHERE api_key_id IS NULL;
ALTER TABLE idempotency_keys
  DROP CONSTRAINT idempotency_keys_api_key_id_key_key,
  DROP CONSTRAINT idempotency_keys_user_id_key_key,
  DROP COLUMN user_id,
  ALTER COLUMN api_key_id SET NOT NULL,
  ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (api_key_id, key);
DROP TABLE invites, sessions, recovery_codes, group_roles, users;
