-- Parallel arrays: occurred_at, event_id, class it has, and the class, reason and channel it will have.
INSERT INTO relabel_visits (occurred_at, event_id, from_class, class, class_reason, channel)
SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::smallint[], $4::smallint[], $5::smallint[], $6::text[])
