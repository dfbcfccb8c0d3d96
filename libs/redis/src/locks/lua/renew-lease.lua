-- Extends a lease that is still there.
-- KEYS[1] ZSET of leases of its mode  KEYS[2] HASH of links (see lock-links.lua)
-- ARGV[1] token  ARGV[2] lease in ms
-- Returns 1, or 0 when the lease expired or its entry is gone (FLUSHALL, failover, eviction).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expiry = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not expiry or tonumber(expiry) <= now or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], 3600000)
redis.call('PEXPIRE', KEYS[2], 3600000)
return 1
