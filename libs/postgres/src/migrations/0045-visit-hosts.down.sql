ALTER TABLE visits DROP COLUMN target_host, DROP COLUMN short_host;
