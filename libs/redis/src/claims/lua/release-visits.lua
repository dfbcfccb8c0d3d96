-- Gives up claims that are still this owner's.
-- KEYS    one per visit, all under one hash tag
-- ARGV[1] the owner's mark
-- Returns how many were removed.
local removed = 0
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[1] then
    removed = removed + redis.call('DEL', KEYS[i])
  end
end
return removed
