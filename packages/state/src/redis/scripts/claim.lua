#!lua flags=allow-oom
-- Claims due rows, oldest first over the given shards, and makes them due again later. It works even if memory is full, because it frees more than it
-- uses.
--
-- KEYS: per shard the rows by the time when they are due. If rows have contents, KEYS also has the contents per shard.
-- ARGV: clock ("" for the server's own, "+N" for N more), "content" or "", limit, visibleAfter ("" to look without claiming).
-- Returns a flat list: place of the shard (from 1), id, when it was due, and with content the row's contents. If no row is due, returns only the
-- milliseconds until the next one is, or nothing if there is none.
local now = tonumber(ARGV[1])
local isAhead = string.sub(ARGV[1], 1, 1) == '+'
if not now or isAhead then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000) + (isAhead and now or 0)
end
local withContent = ARGV[2] ~= ''
local limit = tonumber(ARGV[3])
local visibleAfter = tonumber(ARGV[4])
local step = withContent and 2 or 1
-- Lua's stack is too small for more values at once.
local MOST_VALUES = 4000

local nowText = string.format('%.17g', now)
local rows, next = {}, nil
for at = 1, #KEYS / step do
  local key = KEYS[at * step - step + 1]
  -- Most shards have nothing that is due, and their first row says so.
  local first = tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2])
  if first and first > now then
    if not next or first < next then next = first end
  elseif first then
    local due = redis.call('ZRANGEBYSCORE', key, '-inf', nowText, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
    for n = 1, #due, 2 do
      rows[#rows + 1] = { at = at, order = #rows, id = due[n], due = due[n + 1], score = tonumber(due[n + 1]) }
    end
  end
end
if #rows == 0 then return next and { string.format('%.17g', next - now) } or {} end
table.sort(rows, function(a, b)
  if a.score ~= b.score then return a.score < b.score end
  return a.order < b.order
end)

local answer, again = {}, {}
for n = 1, math.min(limit, #rows) do
  local row = rows[n]
  local content = withContent and redis.call('HGET', KEYS[row.at * step], row.id)
  if withContent and not content then
    if visibleAfter then redis.call('ZREM', KEYS[row.at * step - step + 1], row.id) end
  else
    answer[#answer + 1] = row.at
    answer[#answer + 1] = row.id
    answer[#answer + 1] = row.due
    if withContent then answer[#answer + 1] = content end
    if visibleAfter then
      local batch = again[row.at] or {}
      again[row.at] = batch
      batch[#batch + 1] = string.format('%.17g', now + visibleAfter)
      batch[#batch + 1] = row.id
    end
  end
end
for at, batch in pairs(again) do
  for from = 1, #batch, MOST_VALUES do
    redis.call('ZADD', KEYS[at * step - step + 1], unpack(batch, from, math.min(from + MOST_VALUES - 1, #batch)))
  end
end
return answer
