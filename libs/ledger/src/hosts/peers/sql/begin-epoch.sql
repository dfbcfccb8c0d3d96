-- $1 name of the data centre, $2 epoch, $3 the one it has until now (null: none, or none it is known by). Nothing: somebody else began one.
INSERT INTO host_datacenter AS own (name, epoch, is_whole) VALUES ($1, $2, false)
ON CONFLICT (singleton) DO UPDATE SET epoch = excluded.epoch, is_whole = false
WHERE own.name = excluded.name AND own.epoch = $3::bigint
RETURNING epoch
