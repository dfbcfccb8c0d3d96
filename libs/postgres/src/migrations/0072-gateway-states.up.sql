-- What each gateway process says of itself twice a minute, whatever Kafka does: one row a process life. A row that nobody
-- writes any more is removed by the next gateway that does, a day later.
CREATE TABLE gateway_states (
  source text COLLATE "C" PRIMARY KEY,
  spooled_visits bigint NOT NULL,
  said_at timestamptz NOT NULL DEFAULT now()
);
