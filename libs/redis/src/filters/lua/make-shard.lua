-- KEYS[1] a shard that is not there. ARGV[1] bits, [2] TTL in ms. Returns whose it is: the run id of the server, which names
-- the process, and the replication id, which names its data: a master that was a replica meanwhile has what another had.
-- Nil when this is a replica.
redis.call('SETBIT', KEYS[1], ARGV[1] - 1, 0)
redis.call('SETBIT', KEYS[1], 0, 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local data = redis.call('INFO', 'replication')
if data:match('role:(%a+)') ~= 'master' then return nil end
return redis.call('INFO', 'server'):match('run_id:(%x+)') .. ':' .. data:match('master_replid:(%x+)')
