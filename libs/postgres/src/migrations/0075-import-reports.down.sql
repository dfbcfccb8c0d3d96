ALTER TABLE import_skips DROP COLUMN field;
ALTER TABLE import_skips DROP COLUMN line;
ALTER TABLE imports DROP COLUMN charset;
ALTER TABLE imports DROP COLUMN changes_links;
ALTER TABLE imports DROP COLUMN updated;
