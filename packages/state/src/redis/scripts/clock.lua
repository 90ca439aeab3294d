#!lua flags=allow-oom
-- Returns the store's time. It is the server's time plus all steps by which the server's clock was set back since the store was created. So the
-- store's time never goes back.
--
-- KEYS: the key that stores how far the time is ahead of the server's clock, and the time when it was last written. ARGV: the time that the sender
-- expects, "-" for none.
-- Returns the time, and how far it is ahead.
local STEP_MS = 2000
local MOST_MS = 1e15
local KEEP_MS = 10000

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
-- A value that is not ours is treated as missing. Such a value does not make the time go back.
local held = redis.pcall('GET', KEYS[1])
local aheadText, lastText = string.match(type(held) == 'string' and held or '', '^(%d+) (%d+)$')
local ahead, last = tonumber(aheadText or 0), tonumber(lastText or 0)
if ahead > MOST_MS then ahead = 0 end
if last > MOST_MS then last = 0 end

-- The time of a living process is newer than the stored value.
local carried = tonumber(ARGV[1]) or last
if carried <= MOST_MS and clock + ahead < carried - STEP_MS then ahead = math.ceil(carried - clock) end
local now = clock + ahead
-- Every process sends this script each second, so a value that is almost new is not written again.
if ahead ~= tonumber(aheadText) or now - last > KEEP_MS then
  redis.call('SET', KEYS[1], string.format('%d %d', ahead, math.max(now, last)))
end
return { now, ahead }
