-- $1 kind, $2 name. The name it counts at; names one label below that are counted apart; and whether some of what it has, or all of it, counts at a '~rest'.
SELECT coalesce(host.children, 0) - (rest.id IS NOT NULL)::integer AS children,
  place, rest.id IS NOT NULL OR place <> $2 AS lumped
FROM (SELECT host_place($1, $2) AS place) AS one
LEFT JOIN hosts AS host ON host.kind = $1 AND host.name = $2
LEFT JOIN hosts AS rest ON rest.kind = $1 AND rest.name = $2 || '.~rest'
