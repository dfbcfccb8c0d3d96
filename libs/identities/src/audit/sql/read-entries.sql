-- $1 and $2 time and number of the row to go on behind, $3 and $4 from and to, $5 kind of actor, $6 name of the actor, $7 kind,
-- $8 object (null: any), $9 how many. Newest first.
SELECT (extract(epoch FROM at) * 1000)::bigint || '-' || id AS id, at AS date, actor, kind, action, object, objects, before, after
FROM audit_log
WHERE (at, id) < ($1::timestamptz, $2::bigint) AND at >= $3::timestamptz AND at < $4::timestamptz
  AND ($5::text IS NULL OR actor ->> 'kind' = $5)
  AND ($6::text IS NULL OR actor ->> 'name' = $6)
  AND ($7::text IS NULL OR kind = $7)
  AND ($8::text IS NULL OR object = $8)
ORDER BY at DESC, audit_log.id DESC
LIMIT $9
