-- Claims visits.
-- KEYS    one per visit; in a cluster all of one slot
-- ARGV[1] life of a claim in ms
-- Returns one letter per key, in order: d (done), c (not known to be done: claimed now, or before by anyone).
-- The values are 0 (claimed) and 1 (done): Redis shares small integers, so they take no memory of their own.
local outcomes = {}
for i = 1, #KEYS do
  local before = redis.call('SET', KEYS[i], '0', 'NX', 'GET', 'PX', ARGV[1])
  outcomes[i] = before == '1' and 'd' or 'c'
end
return table.concat(outcomes)
