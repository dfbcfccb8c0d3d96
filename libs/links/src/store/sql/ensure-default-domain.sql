-- $1 authority. One row is the default; naming another one moves the mark (links stay with their domain).
WITH unmarked AS (
  UPDATE domains SET is_default = false WHERE is_default AND authority <> $1
)
INSERT INTO domains (authority) VALUES ($1) ON CONFLICT (authority) DO NOTHING
