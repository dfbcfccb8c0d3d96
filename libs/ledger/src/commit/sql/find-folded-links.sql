-- $1 link ids. What add-slots.sql returns, where there are no slots (SLOTS=off).
SELECT link_id, folded_from FROM link_heat WHERE link_id = ANY ($1::bigint[]) AND folded_from IS NOT NULL
