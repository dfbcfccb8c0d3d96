-- Nobody has written or read it since 0006.
ALTER TABLE link_changes DROP COLUMN hours;
