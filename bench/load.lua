-- For wrk: sends the requests of a file unchanged, one after the other, and prints the result as JSON.
-- Arguments: the file, in which the number of its bytes precedes each request on a line of its own; "once" if no request
-- may be sent twice: the load then ends with the requests; and the most requests a second, or 0 for as many as are answered.
local thread
local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long microseconds; } moment; int gettimeofday(moment *, void *);")
local moment = ffi.new("moment")

local function milliseconds()
  ffi.C.gettimeofday(moment, nil)
  return tonumber(moment.seconds) * 1000 + tonumber(moment.microseconds) / 1000
end

function setup(the_thread)
  thread = the_thread
end

function init(arguments)
  requests = {}
  sent = 0
  once = arguments[2] == "once"
  local rate = tonumber(arguments[3])
  if rate > 0 then
    local due = milliseconds()
    -- wrk asks for it before each request.
    function delay()
      due = due + 1000 / rate
      return math.max(0, math.floor(due - milliseconds()))
    end
  end
  local file = assert(io.open(arguments[1], "rb"))
  for line in file:lines() do
    requests[#requests + 1] = file:read(tonumber(line))
  end
  file:close()
end

function request()
  if once and sent >= #requests then
    wrk.thread:stop()
    return requests[#requests]
  end
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nresult {"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p90":%d,"p99":%d,"sent":%d,' ..
      '"refused":%d,"broken":%d,"late":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), thread:get("sent"),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
