-- Visits that were counted by another program first. Where from: the installation's name, as its imports have it; null: by us.
ALTER TABLE visits ADD COLUMN imported_from text COLLATE "C";

ALTER TABLE imports
  ADD COLUMN visits          bigint NOT NULL DEFAULT 0,  -- counted by it
  ADD COLUMN existing_visits bigint NOT NULL DEFAULT 0;  -- that were here already

-- How often an import has met visits that nothing tells from each other: the first, second, ... of them have ids of their own,
-- the same ones whenever they are imported. A row for each visit of a file, until its import has ended.
CREATE TABLE import_identities (
  import_id bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  identity  uuid NOT NULL,
  seen      integer NOT NULL,
  PRIMARY KEY (import_id, identity)
);
