-- Values that hold instead of a variable of the environment, for processes that follow them. No row: the environment's holds.
CREATE TABLE settings (
  name       text COLLATE "C" PRIMARY KEY CHECK (name ~ '^[A-Z][A-Z_]{1,62}$'),
  value      text NOT NULL CHECK (octet_length(value) BETWEEN 1 AND 200),
  changed_at timestamptz NOT NULL DEFAULT now()
);
