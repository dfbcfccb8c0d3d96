-- KEYS[1] link hash
-- ARGV[1] TTL in ms, [2] ms for which a newer version stands, [3] version, [4] id, [5] long URL ('' when the link is
-- deleted), [6] group id ('' for none), [7] policy ('' for none)
-- Returns 1 when written, 0 when a newer version was written a moment ago: then what we bring was read before it.
-- Only then: a newer version that has stood for longer is what a restored database left, and PostgreSQL decides.
-- Versions are compared as decimal text: a Lua number holds 53 bits.
local ttl, version = tonumber(ARGV[1]), ARGV[3]
local held = redis.call('HGET', KEYS[1], 'version')
local isOlder = held and (#version < #held or (#version == #held and version < held))
if isOlder and ttl - redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'version', version, 'id', ARGV[4], 'url', ARGV[5], 'group', ARGV[6], 'policy', ARGV[7])
redis.call('PEXPIRE', KEYS[1], ttl)
return 1
