-- Whoever knows a password may try few codes of the second factor: wrong ones since the last right one.
CREATE TABLE wrong_codes (
  user_id integer CONSTRAINT wrong_codes_pkey PRIMARY KEY CONSTRAINT wrong_codes_user_id_fkey REFERENCES users ON DELETE CASCADE,
  number  integer NOT NULL
);
-- Apart from the number: this is in the audit log, with the address of whoever guesses.
ALTER TABLE users ADD COLUMN codes_refused_until timestamptz;

-- A user who is deleted may have a request under way in a process that remembers them: it must find its key's row, which ends in a day.
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_user_id_fkey;
