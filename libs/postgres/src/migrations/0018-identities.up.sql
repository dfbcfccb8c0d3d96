-- What a key may do, and where it ends. Keys that were there before may do everything, as they could.
UPDATE api_keys
SET name = name || ' (key ' || id || ')'
WHERE EXISTS (SELECT FROM api_keys AS earlier WHERE earlier.name = api_keys.name AND earlier.id < api_keys.id);

ALTER TABLE api_keys
  ADD COLUMN prefix         text,                     -- what is shown of the key; null: made before it was kept
  ADD COLUMN scopes         text[] NOT NULL DEFAULT '{admin}',
  ADD COLUMN authored_only  boolean NOT NULL DEFAULT false,  -- links that it created
  ADD COLUMN domain_id      integer REFERENCES domains,      -- links of this domain; null: of any
  ADD COLUMN no_orphans     boolean NOT NULL DEFAULT false,  -- not the visits that named no link
  ADD COLUMN previous_hash  bytea UNIQUE,             -- of the secret before the last rotation
  ADD COLUMN previous_until timestamptz,
  ADD COLUMN revoked_at     timestamptz,              -- for good; the row stays: links name their author
  ADD CONSTRAINT api_keys_name_key UNIQUE (name);

-- Which key created it; null: none, as an import of an operator's or one from before this.
ALTER TABLE links ADD COLUMN author_key_id integer REFERENCES api_keys;
CREATE INDEX links_by_author ON links (author_key_id, created_at, id) WHERE author_key_id IS NOT NULL;

ALTER TABLE imports ADD COLUMN author_key_id integer REFERENCES api_keys;

-- The one place that says which links a key reaches: those it created, those of its domain, or all (null: any). Simple enough
-- that the planner writes it into the statement, where it uses indexes and, for a key that reaches all, costs nothing.
CREATE FUNCTION within_reach(author integer, domain integer, only_author integer, only_domain integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (only_author IS NULL OR author = only_author) AND (only_domain IS NULL OR domain = only_domain) $$;
