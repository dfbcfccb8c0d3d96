-- Parallel arrays: occurred_at, event_id, source, reason.
INSERT INTO refused_visits (occurred_at, event_id, source, reason)
SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::text[])
ON CONFLICT DO NOTHING
