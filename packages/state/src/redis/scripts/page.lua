#!lua flags=no-writes
-- Reads members of an index after a place, per shard. KEYS: the index in each shard. ARGV: "asc" or "desc", the number of members, and the place: its
-- score ("" to begin at the start) and its member. Returns per shard a flat list of member and score.
local descending = ARGV[1] == 'desc'
local most = tonumber(ARGV[2])
local score, member = ARGV[3], ARGV[4]

-- Compares byte by byte, as sorted sets do. Lua's own comparison would depend on the server's locale.
local function compare(a, b)
  for n = 1, math.min(#a, #b) do
    local x, y = string.byte(a, n), string.byte(b, n)
    if x ~= y then return x - y end
  end
  return #a - #b
end

-- Returns how many members of the index are before the place: all with lower scores, and those with the same score that compare lower.
local function standsBefore(key, orAt)
  local low = redis.call('ZCOUNT', key, '-inf', '(' .. score)
  local high = redis.call('ZCOUNT', key, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local order = compare(redis.call('ZRANGE', key, middle, middle)[1], member)
    if order < 0 or (orAt and order == 0) then low = middle + 1 else high = middle end
  end
  return low
end

local answer = {}
for n = 1, #KEYS do
  if most < 1 then
    answer[n] = {}
  elseif descending then
    local last = score == '' and -1 or standsBefore(KEYS[n], false) - 1
    if score ~= '' and last < 0 then
      answer[n] = {}
    else
      local size = redis.call('ZCARD', KEYS[n])
      local from = score == '' and 0 or size - 1 - last
      answer[n] = redis.call('ZREVRANGE', KEYS[n], from, from + most - 1, 'WITHSCORES')
    end
  else
    local from = score == '' and 0 or standsBefore(KEYS[n], true)
    answer[n] = redis.call('ZRANGE', KEYS[n], from, from + most - 1, 'WITHSCORES')
  end
end
return answer
