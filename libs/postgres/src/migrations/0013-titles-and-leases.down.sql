ALTER TABLE worker_leases DROP COLUMN last_ms;
DROP TABLE link_titles;
