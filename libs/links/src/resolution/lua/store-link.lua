-- KEYS[1] link hash
-- ARGV[1] TTL in seconds, [2] link id, [3] version, [4] domain, [5] code, [6] long URL, [7] group id ('' for none)
-- Returns 1 when stored, 0 when what is there is newer.
-- Ids and versions are compared as decimal text: a Lua number holds 53 bits, a snowflake has 64.
local function compare(a, b)
  if #a ~= #b then return #a < #b and -1 or 1 end
  if a == b then return 0 end
  return a < b and -1 or 1
end

local held = redis.call('HMGET', KEYS[1], 'id', 'version')
local heldId, heldVersion = held[1], held[2]
if heldVersion then
  -- A mark without an id stands for whatever link had that version: it only rules out older ones.
  local byId = heldId and compare(ARGV[2], heldId) or 0
  if byId < 0 or (byId == 0 and compare(ARGV[3], heldVersion) < 0) then return 0 end
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'id', ARGV[2], 'version', ARGV[3], 'domain', ARGV[4], 'code', ARGV[5], 'url', ARGV[6], 'group', ARGV[7])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
