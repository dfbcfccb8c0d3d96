-- $1 who. The oldest verification that was asked for and that nobody is at: who was is silent for a minute.
UPDATE operator_actions SET counts = jsonb_build_object(
  'holder', $1::text, 'heardAt', now(), 'claims', coalesce((counts ->> 'claims')::integer, 0) + 1
)
WHERE id = (
  SELECT id FROM operator_actions
  WHERE command = 'verify' AND ended_at IS NULL
    AND coalesce((counts ->> 'heardAt')::timestamptz, '-infinity') < now() - interval '1 minute'
  ORDER BY id
  LIMIT 1
  FOR UPDATE SKIP LOCKED
)
RETURNING id
