-- KEYS[1] a shard that is not there. ARGV[1] bits, [2] TTL in ms. Returns the run id of the server that has it now.
redis.call('SETBIT', KEYS[1], ARGV[1] - 1, 0)
redis.call('SETBIT', KEYS[1], 0, 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('INFO', 'server'):match('run_id:(%x+)')
