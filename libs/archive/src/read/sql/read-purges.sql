-- $1 an instant. Links of which visits after it were purged, and up to when.
SELECT coalesce(array_agg(id), '{}') AS link_ids, coalesce(array_agg(purged_before), '{}') AS marks
FROM links
WHERE purged_before > $1::timestamptz
