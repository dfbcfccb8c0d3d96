-- $1 name of the data centre, $2 epoch, $3 the one it has until now (null: none, or none it is known by), $4 end of its topic. Nothing: somebody else began
-- one.
INSERT INTO host_datacenter AS own (name, epoch, is_whole, next_offset, folded_to, is_attributed)
SELECT $1::text, $2::bigint, false, $4::bigint, CASE WHEN NOT EXISTS (SELECT FROM host_changes WHERE folded_at IS NULL) THEN statement_timestamp() END,
  NOT EXISTS (SELECT FROM host_changes WHERE folded_at IS NULL) AND own_host_sums_are_exact()
ON CONFLICT (singleton) DO UPDATE SET epoch = excluded.epoch, is_whole = false, marked_host = 0, next_offset = excluded.next_offset
WHERE own.name = excluded.name AND own.epoch = $3::bigint
RETURNING epoch
