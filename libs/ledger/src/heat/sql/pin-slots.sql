-- $1 link, $2 slots it has from now on; null: its heat decides again (and it keeps what it has until then).
INSERT INTO link_heat AS kept (link_id, heat, slots, pinned_slots)
SELECT $1::bigint, 0, coalesce($2::smallint, 1), $2::smallint
ON CONFLICT (link_id) DO UPDATE SET
  slots = coalesce(excluded.pinned_slots, kept.slots), pinned_slots = excluded.pinned_slots, changed_at = now()
RETURNING slots
