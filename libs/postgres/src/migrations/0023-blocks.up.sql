-- Where links may not lead (host: with all below it; pattern: a text anywhere in the address, * any characters), and
-- links that lead nowhere any more (authority/code). At most 250,000: each gateway holds all of them.
CREATE TABLE blocks (
  id         bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT blocks_pkey PRIMARY KEY,
  kind       text NOT NULL CONSTRAINT blocks_kind_check CHECK (kind IN ('host', 'pattern', 'link')),
  value      text COLLATE "C" NOT NULL CONSTRAINT blocks_value_check CHECK (octet_length(value) BETWEEN 1 AND 2000),
  reason     text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT blocks_kind_value_key UNIQUE (kind, value)
);

-- Rises with every change, in its transaction. Who changes blocks holds its row from the beginning on.
CREATE TABLE block_list (
  singleton boolean NOT NULL DEFAULT true CONSTRAINT block_list_pkey PRIMARY KEY
    CONSTRAINT block_list_singleton_check CHECK (singleton),
  version   bigint NOT NULL
);
INSERT INTO block_list (version) VALUES (0);

-- Blocked requests are orphan visits of their own (type 3), counted apart from the others.
DROP INDEX orphan_visits_by_class;
CREATE INDEX orphan_visits_by_class ON orphan_visits (class, type);
