-- Takes (or asks again for) a lease on many links at once.
-- KEYS[1] ZSET of read leases:  token -> expiry, ms of this server's clock
-- KEYS[2] ZSET of write leases: token -> expiry; a writer stands here from the moment it waits
-- KEYS[3] HASH token -> ',<link id>,<link id>,…,'
-- ARGV[1] 'read' or 'write'  ARGV[2] token  ARGV[3] lease in ms  ARGV[4] links, written as in KEYS[3]
-- Returns 'held', or 'blocked' (a writer holds or awaits one of the links; nothing was registered), or
-- 'waiting' (write only: registered, so no new reader gets in, but live readers remain; ask again).
local mode, token, links = ARGV[1], ARGV[2], ARGV[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function purge(leases)
  for _, dead in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
    redis.call('ZREM', leases, dead)
    redis.call('HDEL', KEYS[3], dead)
  end
end

local function overlap(a, b)
  if #a > #b then a, b = b, a end
  -- The shorter list is one link in nearly every case: a plain search of the longer text.
  if not string.find(a, ',', 2, true) or string.find(a, ',', 2, true) == #a then
    return string.find(b, a, 1, true) ~= nil
  end
  local ids = {}
  for id in string.gmatch(a, '%d+') do ids[id] = true end
  for id in string.gmatch(b, '%d+') do
    if ids[id] then return true end
  end
  return false
end

local function anyOverlap(leases)
  for _, other in ipairs(redis.call('ZRANGE', leases, 0, -1)) do
    if other ~= token then
      local theirs = redis.call('HGET', KEYS[3], other)
      if theirs and overlap(links, theirs) then return true end
    end
  end
  return false
end

purge(KEYS[1])
purge(KEYS[2])
if anyOverlap(KEYS[2]) then return 'blocked' end

local leases = KEYS[1]
if mode == 'write' then leases = KEYS[2] end
redis.call('ZADD', leases, now + ARGV[3], token)
redis.call('HSET', KEYS[3], token, links)
-- Nothing stays for ever; an hour is far beyond any lease and every renewal moves it.
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], 3600000) end

if mode == 'write' and anyOverlap(KEYS[1]) then return 'waiting' end
return 'held'
