TRUNCATE link_changes;
ALTER TABLE link_changes ADD COLUMN hours timestamptz[] NOT NULL;
