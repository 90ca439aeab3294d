#!lua flags=no-writes
-- Returns now, the number of the shard's last commit, and its mark. The mark is empty if nobody can know it.
-- KEYS: commits, marks. ARGV: clock ("" for the server's own, "+N" for N more). The layout of the marks is that of commit.lua.
local RING = 8192
local MARK_BYTES = 8
local MOST_COMMITS = 4e15

local clock = ARGV[1]
local isAhead = string.sub(clock, 1, 1) == '+'
if clock == '' or isAhead then
  local time = redis.call('TIME')
  clock = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000) + (isAhead and tonumber(clock) or 0))
end

-- Every service may write the counter and the marks, so a compromised service may have put anything there.
local raw = redis.pcall('GET', KEYS[1])
local commit = type(raw) == 'string' and tonumber(raw)
if not commit or commit % 1 ~= 0 or commit < 1 or commit > MOST_COMMITS then return { clock, '0', '' } end
local from = (commit % RING) * MARK_BYTES
local mark = redis.pcall('GETRANGE', KEYS[2], string.format('%d', from), string.format('%d', from + MARK_BYTES - 1))
return { clock, string.format('%d', commit), type(mark) == 'string' and mark or '' }
