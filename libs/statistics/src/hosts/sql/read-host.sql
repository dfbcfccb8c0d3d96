-- $1 name, $2 kind. Names one label below that are counted apart and have visits, or have some below them; and whether further ones are lumped.
SELECT
  (
    SELECT count(DISTINCT split_part(substr(name, length($1) + 2), '.', 1))
    FROM hosts JOIN host_totals ON host_id = id AND p <> n
    WHERE hosts.kind = $2 AND name > $1 || '.' AND name < $1 || '/' AND name <> $1 || '.~rest'
  )::integer AS children,
  EXISTS (SELECT FROM hosts WHERE kind = $2 AND name = $1 || '.~rest') AS lumped,
  now() AS "asOf"
