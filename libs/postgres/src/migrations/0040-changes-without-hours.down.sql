-- As 0006 left it.
ALTER TABLE link_changes ADD COLUMN hours timestamptz[];
