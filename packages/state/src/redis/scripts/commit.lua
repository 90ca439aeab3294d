#!lua
-- Makes one change of one shard, completely or not at all. All reads and decisions happen before the first write, because a later error would leave
-- the earlier writes in place.
--
-- KEYS, all of them written: commits, marks, feed, the first document; then documents put, documents removed, logs, timers of services, outboxes of
-- services (each with its rows), indexes.
-- ARGV, in the order of commit-arguments.ts: all numbers and short words in one line, because every argument has a cost, with "-" for absent ones;
-- then the texts. The guard of a document that is not written is an argument. Redis treats every declared key as written and would require
-- the right to write it.
-- Returns outcome, now, commit number, its mark, and whether the store has lost the commit that was presented.
local RING = 8192
local MARK_BYTES = 8
-- A longer time means that the value never expires. Redis refuses an expiry that overflows.
local LONGEST_MS = 1e14
-- Far more commits than a shard can reach, and below the limit of exact numbers.
local MOST_COMMITS = 4e15
-- Lua's stack is too small for more values at once.
local MOST_VALUES = 4000

-- A document is a head of fixed width and its text, so that parts of it can be read and replaced. Bytes of the head: version from 0, commit of the op
-- from 16, expiry from 32, hash of the op from 58 to 97.
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

-- Returns the exact number. Whole numbers have the fastest form, because Redis itself needs microseconds to write one.
local function textOf(number)
  if number % 1 == 0 and number < 1e15 and number > -1e15 then return string.format('%d', number) end
  return string.format('%.17g', number)
end

local commitsKey, marksKey, feedKey, firstKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local clock = nextWord()
local now = tonumber(clock)
-- "+N" means the server's time plus the N milliseconds by which its clock was set back.
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

-- Returns the version of a document from its head, or 0 if the document no longer exists.
local function versionIn(head)
  if head == '' or isOver(string.sub(head, 33, 58)) then return 0 end
  return tonumber(string.sub(head, 1, 16))
end

-- Returns the number, or nil if the value is invalid or has another type. Every service may write a shard's counter, so a compromised service can
-- write an invalid value. Such a value must not stop the other services. An invalid counter starts again at the current time, which is above any
-- number of commits. It is reported as a loss.
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

-- A commit that is no longer in the ring cannot be judged by its mark.
local lost = damaged and 1 or seen and (seen > last or (last - seen < RING and markOf(seen) ~= seenMark)) and 1 or 0

local function refused(outcome)
  return { outcome, clock, last, markOf(last), lost }
end

local first = ask('GETRANGE', firstKey, '0', '97')
if string.sub(first, 59, 98) == op then
  -- The op is written again so that WAIT, on any connection, waits for a replica that has the commit.
  ask('SETRANGE', firstKey, '58', op)
  local commit = tonumber(string.sub(first, 17, 32))
  return { 'ok', clock, commit, markOf(commit), lost }
end
if lost == 1 and damaged then
  -- The counter is fixed at once, so that the next commit finds a working store.
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

-- A key with another type of value is not ours. These reads raise an error for such a key before anything is written.
for n = 5, logsAt do if KEYS[n] ~= firstKey then ask('STRLEN', KEYS[n]) end end
for n = logsAt + 1, timersAt do ask('LLEN', KEYS[n]) end
for n = timersAt + 1, outboxesAt do ask('ZCARD', KEYS[n]) end
for n = outboxesAt + 1, indexesAt, 2 do
  ask('ZCARD', KEYS[n])
  ask('HLEN', KEYS[n + 1])
end
for n = indexesAt + 1, indexesAt + indexes do ask('ZCARD', KEYS[n]) end
-- Every service may write the marks and the feed. Invalid marks and feeds start again, as empty ones do.
local marksAreNone = type(redis.pcall('STRLEN', marksKey)) == 'table'

-- All decisions are made before this line.

-- Returns how long Redis itself keeps a value with this expiry, or nil for ever.
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

-- Adds an item to the feed. A feed accepts no more items if its key has another type, or if somebody has used up its ids. No command that a service
-- may use shows this beforehand. The feed then starts again with a number after which no reader waits, so that every reader sees the gap.
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
  -- The head is complete except for the commit. Writing the commit into it costs less than building the whole text again.
  set(key, nextText(), nextNumber())
  ask('SETRANGE', key, '0', commitText .. commitText)
end
for n = removesAt + 1, logsAt do
  local key = KEYS[n]
  if key ~= firstKey then
    ask('DEL', key)
  elseif first ~= '' then
    -- The removed document is kept as an expired one for a while, because it must remember the op for a repeat.
    firstIsWritten = true
    set(key, string.sub(first, 1, 16) .. commitText .. string.format('%-26s', clock) .. op, now)
  end
end
if not firstIsWritten then ask('SETRANGE', firstKey, '16', commitText .. string.sub(first, 33, 58) .. op) end

for n = logsAt + 1, timersAt do
  local key, name, expiresAt, count = KEYS[n], nextText(), nextWord(), nextNumber()
  -- The first element says when the log expires. The entries follow it.
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
      -- Timers that this change set before this removal are removed as well. Later ones stay.
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
