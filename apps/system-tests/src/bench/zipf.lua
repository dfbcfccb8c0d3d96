-- wrk script: GET /<prefix><n><suffix>, n drawn so that rank r has the weight 1/r. The order of ranks and the
-- draws are the same for every server of a run. Prints one line of JSON at the end.
-- Arguments: number of links, seed, host header, user agent, prefix of the codes, mean pause before a request in ms, suffix.
local cumulative = {}
local count, host, agent, prefix, suffix

function init(args)
  count = tonumber(args[1])
  math.randomseed(tonumber(args[2]))
  host = args[3]
  agent = args[4]
  prefix = args[5]
  local pause = tonumber(args[6])
  suffix = args[7]
  -- wrk looks whether there is such a function. Pauses as of many visitors who know nothing of each other.
  if pause > 0 then
    delay = function() return math.floor(-math.log(1 - math.random()) * pause + 0.5) end
  end
  local sum = 0
  for rank = 1, count do
    sum = sum + 1 / rank
    cumulative[rank] = sum
  end
  wrk.headers["Host"] = host
  wrk.headers["User-Agent"] = agent
  wrk.headers["Accept-Language"] = "en-GB,en;q=0.9"
end

function request()
  local wanted = math.random() * cumulative[count]
  local low, high = 1, count
  while low < high do
    local middle = math.floor((low + high) / 2)
    if cumulative[middle] <= wanted then low = middle + 1 else high = middle end
  end
  return wrk.format("GET", "/" .. prefix .. (low - 1) .. suffix)
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"statusErrors":%d,"lost":%d,"late":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout
  ))
end
