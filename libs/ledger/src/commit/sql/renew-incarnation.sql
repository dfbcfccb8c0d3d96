-- $1 reason
UPDATE ledger_incarnation
SET incarnation = gen_random_uuid(), changed_at = now(), reason = $1
RETURNING incarnation
