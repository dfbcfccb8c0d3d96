-- KEYS[1] link hash
-- ARGV[1] version that is now current ('' when not known), [2] seconds for which older versions stay out
-- Returns 1 when the entry was taken away, 0 when it is that version or a newer one already.
-- Leaves a mark with the version alone: a gateway that read the link just before the change cannot
-- put the old value back.
local function older(a, b)
  if #a ~= #b then return #a < #b end
  return a < b
end

if ARGV[1] == '' then
  redis.call('DEL', KEYS[1])
  return 1
end
local held = redis.call('HGET', KEYS[1], 'version')
if held and not older(held, ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'version', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
