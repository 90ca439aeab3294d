#!lua flags=no-writes
-- Reads entries of a log that has not expired.
-- KEYS: the log. ARGV: clock ("" for the server's own, "+N" for N more), the first and the last sequence number.
local head = redis.call('LINDEX', KEYS[1], 0)
if not head then return {} end
if head ~= '-' then
  local now = tonumber(ARGV[1])
  local isAhead = string.sub(ARGV[1], 1, 1) == '+'
  if not now or isAhead then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000) + (isAhead and now or 0)
  end
  if tonumber(head) <= now then return {} end
end
return redis.call('LRANGE', KEYS[1], ARGV[2], ARGV[3])
