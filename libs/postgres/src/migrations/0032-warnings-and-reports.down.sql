DROP TABLE abuse_reports;
ALTER TABLE blocks DROP COLUMN action;
