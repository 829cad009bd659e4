-- For wrk: sends the requests of a file unchanged, one after the other, and prints the result as JSON.
-- Arguments: the file, in which the number of its bytes precedes each request on a line of its own; and "once" if no request
-- may be sent twice. The load then ends with the requests.
local thread

function setup(the_thread)
  thread = the_thread
end

function init(arguments)
  requests = {}
  sent = 0
  once = arguments[2] == "once"
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
