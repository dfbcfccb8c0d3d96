ALTER TABLE visits DROP COLUMN channel, DROP COLUMN class_reason;
