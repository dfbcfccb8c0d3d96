-- Arrays in key order: link_id, heat, slots, folded_from.
INSERT INTO link_heat AS kept (link_id, heat, slots, folded_from)
SELECT decided.link_id, decided.heat, decided.slots, decided.folded_from
FROM unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::timestamptz[])
  AS decided (link_id, heat, slots, folded_from)
ON CONFLICT (link_id) DO UPDATE SET
  heat = excluded.heat, slots = excluded.slots, folded_from = excluded.folded_from,
  changed_at = CASE
    WHEN (kept.slots, kept.folded_from) IS DISTINCT FROM (excluded.slots, excluded.folded_from) THEN now()
    ELSE kept.changed_at
  END
