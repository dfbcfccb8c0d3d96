-- $1 what the event's id is made of: the same whenever this is done again, from a restored database, too; $2 body.
INSERT INTO webhook_events (webhook_id, event_id, body)
SELECT hearing.id, md5($1)::uuid, $2
FROM (
  SELECT id FROM webhooks WHERE enabled AND 'host.surged' = ANY (events) AND webhook_has_room(id) ORDER BY id FOR KEY SHARE
) AS hearing
ON CONFLICT DO NOTHING
