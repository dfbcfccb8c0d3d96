-- Parallel arrays: $1 kind, $2 name of a peer's host, $3 the same, where it is its '~rest' what is above that: whose new names are told apart here
-- does not depend on whose are there. Where each counts here (null: it has no row yet, and `place` is to be added).
SELECT given.kind, given.name, coalesce(known.id, placed.id) AS "hostId", place
FROM (
  SELECT kind, name, host_place(kind, above) COLLATE "C" AS place
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS given (kind, name, above)
) AS given
LEFT JOIN hosts AS known ON known.kind = given.kind AND known.name = given.name
LEFT JOIN hosts AS placed ON placed.kind = given.kind AND placed.name = given.place
