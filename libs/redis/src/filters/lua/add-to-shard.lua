-- KEYS[1] a shard. ARGV[1] what hcMakeShard returned, then places of bits.
-- Returns 1 when they are set; 0 when the shard is not, or not since it was made, on this server: bit 0 says so, which
-- only its maker sets, so that a shard that was flushed, evicted or has expired does not come back as an empty one.
local server = redis.call('INFO', 'server'):match('run_id:(%x+)')
local data = redis.call('INFO', 'replication')
if data:match('role:(%a+)') == 'master' then server = server .. ':' .. data:match('master_replid:(%x+)') end
if server ~= ARGV[1] or redis.call('GETBIT', KEYS[1], 0) == 0 then return 0 end
for place = 2, #ARGV do redis.call('SETBIT', KEYS[1], ARGV[place], 1) end
return 1
