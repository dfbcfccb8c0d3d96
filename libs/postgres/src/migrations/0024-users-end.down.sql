DELETE FROM idempotency_keys WHERE user_id IS NOT NULL AND NOT EXISTS (SELECT FROM users WHERE id = user_id);
ALTER TABLE idempotency_keys
  ADD CONSTRAINT idempotency_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;
ALTER TABLE users DROP COLUMN codes_refused_until;
DROP TABLE wrong_codes;
