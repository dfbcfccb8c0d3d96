-- $1 data centre; parallel arrays: $2 kind, $3 name, $4 class. What is kept of them.
SELECT kept.kind, kept.name, kept.class, kept.epoch::float8 AS epoch, kept.p::float8 AS p, kept.n::float8 AS n, kept.host_id AS "hostId"
FROM unnest($2::smallint[], $3::text[], $4::smallint[]) AS given (kind, name, class)
JOIN host_replicas AS kept ON kept.dc = $1 AND kept.kind = given.kind AND kept.name = given.name AND kept.class = given.class
