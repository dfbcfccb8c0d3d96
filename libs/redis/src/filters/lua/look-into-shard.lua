-- KEYS[1] a shard. ARGV[1] what hcMakeShard returned, [2] bits of an entry, then the places of bits of each entry.
-- Returns a letter for each entry: 'n' when it was never added, 'm' when it may have been; '' when the shard is not, or
-- not since it was made, on this server.
local server = redis.call('INFO', 'server'):match('run_id:(%x+)')
local data = redis.call('INFO', 'replication')
if data:match('role:(%a+)') == 'master' then server = server .. ':' .. data:match('master_replid:(%x+)') end
if server ~= ARGV[1] or redis.call('GETBIT', KEYS[1], 0) == 0 then return '' end
local hashes = tonumber(ARGV[2])
local letters = {}
for first = 3, #ARGV, hashes do
  local letter = 'm'
  for place = first, first + hashes - 1 do
    if redis.call('GETBIT', KEYS[1], ARGV[place]) == 0 then
      letter = 'n'
      break
    end
  end
  letters[#letters + 1] = letter
end
return table.concat(letters)
