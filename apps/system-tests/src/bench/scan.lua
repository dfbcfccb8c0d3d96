-- wrk script: GET /<7 random characters>, of the alphabet of generated codes: hardly any is a link.
-- Arguments: number of links (not used), seed, host header, user agent. Prints what zipf.lua prints.
local letters = "23456789bcdfghjkmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ"

function init(args)
  math.randomseed(tonumber(args[2]))
  wrk.headers["Host"] = args[3]
  wrk.headers["User-Agent"] = args[4]
end

function request()
  local code = {}
  for place = 1, 7 do
    local at = math.random(#letters)
    code[place] = letters:sub(at, at)
  end
  return wrk.format("GET", "/" .. table.concat(code))
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"statusErrors":%d,"lost":%d,"late":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout
  ))
end
