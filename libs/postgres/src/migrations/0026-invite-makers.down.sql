ALTER TABLE invites DROP COLUMN id, DROP COLUMN created_by_user, DROP COLUMN created_by_key;
