-- $1 id, $2 counts so far
UPDATE operator_actions SET counts = $2::jsonb WHERE id = $1
