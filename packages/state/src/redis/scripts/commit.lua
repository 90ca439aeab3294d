#!lua
-- Makes one change of one shard, whole or not at all. All reads and decisions come before the first write: a later error would leave
-- the earlier writes in place.
--
-- KEYS, all of them written: commits, marks, feed, the first document; then documents put, documents removed, logs, timers of
-- services, outboxes of services (each with its rows), indexes.
-- ARGV, in the order of commit-arguments.ts: first all numbers and short words in one line, "-" for absent ones, because every argument has
-- a cost; then the texts. A guard of a document that is not written is an argument: Redis treats every declared key as written and would require
-- that right.
-- Answers outcome, now, commit number, its mark, whether the store has lost the commit that was presented.
local RING = 8192
local MARK_BYTES = 8
-- Longer than this means for good; Redis refuses an expiry that overflows.
local LONGEST_MS = 1e14
-- Far above what a shard can count to, and below the limit of exact numbers.
local MOST_COMMITS = 4e15
-- Lua's stack holds no more values at once.
local MOST_VALUES = 4000

-- A document is a head of fixed width, so that it can be read and replaced in part, and its text. In the head: version, from byte 0; commit of
-- the op, 16; expiry, 32; hash of the op, 58; its last byte is 97.
local COMMIT = '%016d'

local ask = redis.call
local KEYS, ARGV = KEYS, ARGV
local nextWord = string.gmatch(ARGV[1], '%S+')
local textAt = 1

local function nextNumber()
  return tonumber(nextWord())
end

local function nextText()
  textAt = textAt + 1
  return ARGV[textAt]
end

-- Exact, and in the cheapest form for whole numbers: Redis itself needs microseconds to write one.
local function textOf(number)
  if number % 1 == 0 and number < 1e15 and number > -1e15 then return string.format('%d', number) end
  return string.format('%.17g', number)
end

local commitsKey, marksKey, feedKey, firstKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local clock = nextWord()
local now = tonumber(clock)
-- "+N": the server's time, plus the N milliseconds that its clock was set back by.
local isAhead = string.byte(clock) == 43
if not now or isAhead then
  local time = ask('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000) + (isAhead and now or 0)
  clock = textOf(now)
end
local op, mark, notAfter, seen, seenMark = nextWord(), nextWord(), nextNumber(), nextNumber(), nextWord()
local feedLength, rememberedMs = nextWord(), nextNumber()

local function isOver(expiresAt)
  local at = tonumber(expiresAt)
  return at and at <= now
end

-- The version of a document by its head: 0 if it does not exist any more.
local function versionIn(head)
  if head == '' or isOver(string.sub(head, 33, 58)) then return 0 end
  return tonumber(string.sub(head, 1, 16))
end

-- Every service writes a shard's counter, so a hijacked one can leave nonsense there. That must not stop the others: an invalid counter
-- starts again at the current time, which is above any number of commits, and counts as a loss. Nil for a value of another type too.
local function numberIn(key)
  local raw = redis.pcall('GET', key)
  if not raw then return 0 end
  if type(raw) == 'table' then return nil end
  local number = tonumber(raw)
  return number and number % 1 == 0 and number >= 0 and number <= MOST_COMMITS and number or nil
end

local last = numberIn(commitsKey)
local damaged = not last
if damaged then last = now end

local function markOf(commit)
  if damaged or commit < 1 or commit > last or last - commit >= RING then return '' end
  local from = (commit % RING) * MARK_BYTES
  local found = redis.pcall('GETRANGE', marksKey, textOf(from), textOf(from + MARK_BYTES - 1))
  return type(found) == 'string' and found or ''
end

-- A commit that has left the ring cannot be judged by its mark any more.
local lost = damaged and 1 or seen and (seen > last or (last - seen < RING and markOf(seen) ~= seenMark)) and 1 or 0

local function refused(outcome)
  return { outcome, clock, last, markOf(last), lost }
end

local first = ask('GETRANGE', firstKey, '0', '97')
if string.sub(first, 59, 98) == op then
  -- Written again so that WAIT, on any connection, waits for a replica that has it.
  ask('SETRANGE', firstKey, '58', op)
  local commit = tonumber(string.sub(first, 17, 32))
  return { 'ok', clock, commit, markOf(commit), lost }
end
if lost == 1 and damaged then
  -- Fixed at once, so that the next decision finds a store that works.
  ask('DEL', commitsKey)
  ask('DEL', marksKey)
  ask('SET', commitsKey, textOf(last))
end
if lost == 1 then return refused('stale') end
if notAfter and now > notAfter then return refused('late') end

if versionIn(first) ~= nextNumber() then return refused('stale') end
for _ = 1, nextNumber() do
  local head = ask('GETRANGE', nextText(), '0', '97')
  if versionIn(head) ~= nextNumber() then return refused('stale') end
end

local puts, removes, logs = nextNumber(), nextNumber(), nextNumber()
local timers, outboxes, indexes = nextNumber(), nextNumber(), nextNumber()
local removesAt = 4 + puts
local logsAt = removesAt + removes
local timersAt = logsAt + logs
local outboxesAt = timersAt + timers
local indexesAt = outboxesAt + 2 * outboxes

-- A key with another type of value is not ours: found here, it is an error before anything is written.
for n = 5, logsAt do if KEYS[n] ~= firstKey then ask('STRLEN', KEYS[n]) end end
for n = logsAt + 1, timersAt do ask('LLEN', KEYS[n]) end
for n = timersAt + 1, outboxesAt do ask('ZCARD', KEYS[n]) end
for n = outboxesAt + 1, indexesAt, 2 do
  ask('ZCARD', KEYS[n])
  ask('HLEN', KEYS[n + 1])
end
for n = indexesAt + 1, indexesAt + indexes do ask('ZCARD', KEYS[n]) end
-- Every service may write the marks and the feed: invalid ones start again, like empty ones.
local marksAreNone = type(redis.pcall('STRLEN', marksKey)) == 'table'

-- Nothing is decided from here on.

-- How long Redis itself keeps a value with this expiry; nil for good.
local function kept(expiresAt)
  local ms = math.max(expiresAt - now, 0) + rememberedMs
  return ms < LONGEST_MS and textOf(math.ceil(ms)) or nil
end

local function set(key, value, expiresAt)
  local ms = expiresAt and kept(expiresAt)
  if ms then ask('SET', key, value, 'PX', ms) else ask('SET', key, value) end
end

local function flush(command, key, batch)
  for from = 1, #batch, MOST_VALUES do
    ask(command, key, unpack(batch, from, math.min(from + MOST_VALUES - 1, #batch)))
  end
end

-- A feed accepts no more items if its key holds something else, or if somebody has used up its ids, which no command
-- that a service may use shows beforehand. It starts again with a number after which no reader waits, so that each of them sees the gap.
local function tell(name, sequence)
  if type(redis.pcall('XADD', feedKey, 'MAXLEN', '~', feedLength, '0-*', 'log', name, 'sequence', sequence)) ~= 'table' then return end
  ask('DEL', feedKey)
  ask('XADD', feedKey, string.format('0-%d', now * 1000), 'log', name, 'sequence', sequence)
end

if marksAreNone then ask('DEL', marksKey) end
local commit = ask('INCR', commitsKey)
ask('SETRANGE', marksKey, textOf((commit % RING) * MARK_BYTES), mark)
local commitText = string.format(COMMIT, commit)

local firstIsWritten = first == ''
for n = 5, removesAt do
  local key = KEYS[n]
  firstIsWritten = firstIsWritten or key == firstKey
  -- Its head is complete except for the commit: to replace that in place is cheaper than to build the whole text again.
  set(key, nextText(), nextNumber())
  ask('SETRANGE', key, '0', commitText .. commitText)
end
for n = removesAt + 1, logsAt do
  local key = KEYS[n]
  if key ~= firstKey then
    ask('DEL', key)
  elseif first ~= '' then
    -- Kept as an expired one for a while: it must remember the op for a repeat.
    firstIsWritten = true
    set(key, string.sub(first, 1, 16) .. commitText .. string.format('%-26s', clock) .. op, now)
  end
end
if not firstIsWritten then ask('SETRANGE', firstKey, '16', commitText .. string.sub(first, 33, 58) .. op) end

for n = logsAt + 1, timersAt do
  local key, name, expiresAt, count = KEYS[n], nextText(), nextWord(), nextNumber()
  -- The first element says when the log expires; the entries follow it.
  local head = ask('LINDEX', key, '0')
  if head and isOver(head) then
    ask('DEL', key)
    head = false
  end
  if not head then
    ask('RPUSH', key, expiresAt)
  elseif expiresAt ~= '-' then
    ask('LSET', key, '0', expiresAt)
  end
  local length
  for from = textAt + 1, textAt + count, MOST_VALUES do
    length = ask('RPUSH', key, unpack(ARGV, from, math.min(from + MOST_VALUES - 1, textAt + count)))
  end
  textAt = textAt + count
  if expiresAt ~= '-' then
    local ms = kept(tonumber(expiresAt))
    if ms then ask('PEXPIRE', key, ms) else ask('PERSIST', key) end
  end
  tell(name, textOf(length - 1))
end

for n = timersAt + 1, outboxesAt do
  local key, batch = KEYS[n], {}
  for _ = 1, nextNumber() do
    local id, dueIn = nextText(), nextNumber()
    if dueIn then
      batch[#batch + 1] = textOf(now + dueIn)
      batch[#batch + 1] = id
    else
      -- Rows that this change set before it are removed as well, later ones are not.
      flush('ZADD', key, batch)
      batch = {}
      ask('ZREM', key, id)
    end
  end
  flush('ZADD', key, batch)
end

for n = outboxesAt + 1, indexesAt, 2 do
  local batch, rows = {}, {}
  for _ = 1, nextNumber() do
    local id, row, dueIn = nextText(), nextText(), nextNumber()
    batch[#batch + 1] = textOf(now + dueIn)
    batch[#batch + 1] = id
    rows[#rows + 1] = id
    rows[#rows + 1] = row
  end
  flush('ZADD', KEYS[n], batch)
  flush('HSET', KEYS[n + 1], rows)
end

for n = indexesAt + 1, indexesAt + indexes do
  local key = KEYS[n]
  for _ = 1, nextNumber() do
    local member, score = nextText(), nextWord()
    if score ~= '-' then ask('ZADD', key, score, member) else ask('ZREM', key, member) end
  end
end

return { 'ok', clock, commit, mark, lost }
