-- KEYS buckets, all of one hash tag: each says when it is full again, in microseconds of this server's clock since 2026.
-- ARGV of each: tokens it holds at most, microseconds until the next one, tokens wanted (0: one must be there, none is taken;
-- fewer: so many are given back, up to a full bucket).
-- When every bucket has what is wanted of it, all give it; else none does. Returns ms until all would (0: taken), then
-- of each bucket the tokens left and ms until it is full.
local time = redis.call('TIME')
local now = (time[1] - 1767225600) * 1000000 + time[2]
local full, wait = {}, 0
for i, key in ipairs(KEYS) do
  local held, interval, wanted = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  -- Never later than that of an empty one: a clock that was set back costs no more than that.
  full[i] = math.min(math.max(tonumber(redis.call('GET', key)) or now, now), now + held * interval)
  if wanted >= 0 then
    wait = math.max(wait, full[i] + (math.max(wanted, 1) - held) * interval - now)
  end
end
local answer = { math.ceil(wait / 1000) }
for i, key in ipairs(KEYS) do
  local held, interval, wanted = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  if wait <= 0 and wanted ~= 0 then
    full[i] = math.max(now, full[i] + wanted * interval)
    redis.call('SET', key, string.format('%.2f', full[i]), 'PX', math.max(1, math.ceil((full[i] - now) / 1000)))
  end
  answer[#answer + 1] = math.floor(held - (full[i] - now) / interval + 0.000001)
  answer[#answer + 1] = math.ceil((full[i] - now) / 1000)
end
return answer
