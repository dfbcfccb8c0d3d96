-- Ends a lease; tokens are never used twice, so it can only be the caller's own.
-- KEYS[1] ZSET of leases of its mode  KEYS[2] HASH of links (see lock-links.lua)
-- ARGV[1] token
-- Returns 1 when it was live until now, else 0.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expiry = redis.call('ZSCORE', KEYS[1], ARGV[1])
local links = redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])
if links == 1 and expiry and tonumber(expiry) > now then return 1 end
return 0
