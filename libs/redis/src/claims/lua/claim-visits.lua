-- Claims visits for one owner.
-- KEYS    one per visit, all under one hash tag
-- ARGV[1] the owner's mark, never 'done'
-- ARGV[2] life of a claim in ms
-- Returns one letter per key, in order: c (claimed, now or before, by this owner), d (done), h (held by another).
local owner, ttl = ARGV[1], ARGV[2]
local outcomes = {}
for i = 1, #KEYS do
  local before = redis.call('SET', KEYS[i], owner, 'NX', 'GET', 'PX', ttl)
  if not before then
    outcomes[i] = 'c'
  elseif before == 'done' then
    outcomes[i] = 'd'
  elseif before == owner then
    redis.call('PEXPIRE', KEYS[i], ttl)
    outcomes[i] = 'c'
  else
    outcomes[i] = 'h'
  end
end
return table.concat(outcomes)
