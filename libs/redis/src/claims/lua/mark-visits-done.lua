-- Marks visits as committed, whoever claimed them.
-- KEYS    one per visit; in a cluster all of one slot
-- ARGV[1] life of the mark in ms
-- Returns the number of keys.
for i = 1, #KEYS do
  redis.call('SET', KEYS[i], '1', 'PX', ARGV[1])
end
return #KEYS
