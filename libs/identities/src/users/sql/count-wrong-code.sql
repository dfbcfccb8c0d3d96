-- $1 user, whose row the caller has locked, $2 wrong codes in a row from which on none is taken for an hour after each.
WITH counted AS (
  INSERT INTO wrong_codes AS kept (user_id, number) VALUES ($1, 1)
  ON CONFLICT (user_id) DO UPDATE SET number = kept.number + 1
  RETURNING number
)
UPDATE users SET codes_refused_until = now() + interval '1 hour'
FROM counted
WHERE users.id = $1 AND counted.number >= $2
