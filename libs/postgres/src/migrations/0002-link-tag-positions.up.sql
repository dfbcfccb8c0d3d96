-- Clients read tags back in the order they gave them.
ALTER TABLE link_tags ADD COLUMN position smallint NOT NULL DEFAULT 0;
