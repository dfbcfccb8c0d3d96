ALTER TABLE link_tags DROP COLUMN position;
