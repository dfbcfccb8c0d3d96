DROP TABLE import_links;
DROP TABLE import_skips;
DROP TABLE import_parts;
DROP TABLE imports;
