-- KEYS[1] link hash
-- Returns its fields and the ms it has left to live.
local fields = redis.call('HMGET', KEYS[1], 'version', 'id', 'url', 'group', 'policy')
fields[6] = redis.call('PTTL', KEYS[1])
return fields
