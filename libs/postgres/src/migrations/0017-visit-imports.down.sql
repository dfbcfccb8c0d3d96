DROP TABLE import_identities;
ALTER TABLE imports DROP COLUMN visits, DROP COLUMN existing_visits;
ALTER TABLE visits DROP COLUMN imported_from;
