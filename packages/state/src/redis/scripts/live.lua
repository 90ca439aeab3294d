#!lua
-- Adds a live batch to the stored ones of its log, and notifies the followers.
-- KEYS: the log's live batches, the feed. ARGV: clock ("" for the server's own, "+N" for N more), the log's name, the batch, the length of the feed.
local KEPT_MS = 60000
local KEPT_BATCHES = 512

local now = tonumber(ARGV[1])
local isAhead = string.sub(ARGV[1], 1, 1) == '+'
if not now or isAhead then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000) + (isAhead and now or 0)
end
-- A feed that accepts no more items starts again, as in commit.lua.
if type(redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '0-*', 'log', ARGV[2], 'batch', ARGV[3])) == 'table' then
  redis.call('DEL', KEYS[2])
  redis.call('XADD', KEYS[2], string.format('0-%d', now * 1000), 'log', ARGV[2], 'batch', ARGV[3])
end
redis.call('RPUSH', KEYS[1], string.format('%.17g', now + KEPT_MS) .. ' ' .. ARGV[3])
redis.call('LTRIM', KEYS[1], -KEPT_BATCHES, -1)
redis.call('PEXPIRE', KEYS[1], KEPT_MS)
