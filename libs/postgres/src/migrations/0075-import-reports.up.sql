-- Each row of an import ends in one of created, updated, existing (unchanged) and skipped (refused). What is said of a row
-- names its line and field; files have a character set, and may change links that are here.
ALTER TABLE imports ADD COLUMN updated bigint NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN changes_links boolean NOT NULL DEFAULT false;
ALTER TABLE imports ADD COLUMN charset text NOT NULL DEFAULT 'utf-8';
ALTER TABLE import_skips ADD COLUMN line bigint;
ALTER TABLE import_skips ADD COLUMN field text;
