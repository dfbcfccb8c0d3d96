TRUNCATE link_changes;
ALTER TABLE link_changes ALTER COLUMN hours SET NOT NULL;
