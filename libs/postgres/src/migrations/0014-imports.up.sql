-- Links that come from elsewhere. rows_done is how far the file was taken: whoever goes on starts there, and two who do
-- cannot both move it.
CREATE TABLE imports (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source     text NOT NULL,           -- whose format: csv, hopcount, shlink, kutt, yourls, bitly
  name       text NOT NULL,           -- the installation: keys of the same link are the same within it
  domain     text,                    -- of links that name none; null: the default one
  state      text NOT NULL DEFAULT 'uploading' CHECK (state IN ('uploading', 'waiting', 'running', 'done', 'failed')),
  bytes      bigint NOT NULL DEFAULT 0,
  rows_done  bigint NOT NULL DEFAULT 0,
  created    bigint NOT NULL DEFAULT 0,
  existing   bigint NOT NULL DEFAULT 0,
  skipped    bigint NOT NULL DEFAULT 0,
  reasons    jsonb NOT NULL DEFAULT '{}',
  failure    text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at   timestamptz
);
CREATE INDEX imports_open ON imports (id) WHERE state IN ('uploading', 'waiting', 'running');

-- The file, until the import has ended: api, CLI and worker need share no disk.
CREATE TABLE import_parts (
  import_id bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  part      integer NOT NULL,
  bytes     bytea NOT NULL,
  PRIMARY KEY (import_id, part)
);

-- What was not taken, and why: the first thousand of an import; all are counted in its reasons.
CREATE TABLE import_skips (
  import_id bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  place     bigint GENERATED ALWAYS AS IDENTITY,
  row       bigint NOT NULL,
  reason    text NOT NULL,
  detail    text NOT NULL,
  PRIMARY KEY (import_id, place)
);

-- Which link one of an installation became: imported twice, it is found.
CREATE TABLE import_links (
  name       text COLLATE "C" NOT NULL,
  source_key text COLLATE "C" NOT NULL,
  link_id    bigint NOT NULL REFERENCES links ON DELETE CASCADE,
  PRIMARY KEY (name, source_key)
);
CREATE INDEX import_links_link ON import_links (link_id);
