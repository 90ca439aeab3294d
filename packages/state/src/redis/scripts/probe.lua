#!lua
-- Finds out whether changes are accepted. The server refuses this script if it would refuse a commit. The script reads the counter of every shard as
-- a commit does, and fixes invalid ones. It also writes one counter unchanged, which fails if a disk or a replica accepts nothing.
--
-- KEYS: commits and marks of every shard, alternating.
-- ARGV: clock ("" for the server's own, "+N" for N more), the place of the shard whose counter is written (from 1).
-- Returns now, and the places of the shards that were fixed.
local MOST_COMMITS = 4e15

local clock = ARGV[1]
local isAhead = string.sub(clock, 1, 1) == '+'
if clock == '' or isAhead then
  local time = redis.call('TIME')
  clock = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000) + (isAhead and tonumber(clock) or 0))
end

-- The rule is the same as in commit.lua.
local function isNumber(raw)
  if not raw then return true end
  local number = type(raw) == 'string' and tonumber(raw)
  return number and number % 1 == 0 and number >= 0 and number <= MOST_COMMITS
end

local answer, counters = { clock }, {}
for at = 1, #KEYS / 2 do
  local raw = redis.pcall('GET', KEYS[2 * at - 1])
  counters[at] = raw
  if not isNumber(raw) then answer[#answer + 1] = at end
end

for n = 2, #answer do
  local commits, marks = KEYS[2 * answer[n] - 1], KEYS[2 * answer[n]]
  redis.call('DEL', commits)
  redis.call('DEL', marks)
  -- The new number is above any number of commits, so every process that saw a commit notices a loss.
  redis.call('SET', commits, clock)
  counters[answer[n]] = clock
end
local written = tonumber(ARGV[2])
redis.call('SET', KEYS[2 * written - 1], counters[written] or '0')
return answer
