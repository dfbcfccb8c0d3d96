-- Who made a link of an invite or a reset: it ends when they may not make one any more. Both null: a command did, or it is older.
ALTER TABLE invites
  ADD COLUMN id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT invites_id_key UNIQUE,
  ADD COLUMN created_by_user integer CONSTRAINT invites_created_by_user_fkey REFERENCES users ON DELETE CASCADE,
  ADD COLUMN created_by_key integer CONSTRAINT invites_created_by_key_fkey REFERENCES api_keys ON DELETE CASCADE;
