#!lua flags=no-writes
-- Returns now, whether the shard still has a commit (1 or 0), and the place and text of each document that has changed. The text of an absent document is empty.
-- KEYS: commits, marks, then the documents. ARGV: clock ("" for the server's own, "+N" for N more), the number of the commit, its mark, then the version of
-- each document as the caller knows it, 0 for an absent one. The layouts of marks and documents are those of commit.lua.
local RING = 8192
local MARK_BYTES = 8

local KEYS, ARGV = KEYS, ARGV
local ask = redis.call
local clock = ARGV[1]
local now = tonumber(clock)
local isAhead = string.sub(clock, 1, 1) == '+'
if not now or isAhead then
  local time = ask('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000) + (isAhead and now or 0)
  clock = string.format('%d', now)
end

-- Every service may write the counter and the marks, so a compromised service may have put anything there.
local since = tonumber(ARGV[2])
local raw = redis.pcall('GET', KEYS[1])
local last = type(raw) == 'string' and tonumber(raw)
-- The mark of a commit that is no longer in the ring was overwritten.
if not last or since > last or last - since >= RING then return { clock, 0 } end
local from = (since % RING) * MARK_BYTES
local mark = redis.pcall('GETRANGE', KEYS[2], string.format('%d', from), string.format('%d', from + MARK_BYTES - 1))
if mark ~= ARGV[3] then return { clock, 0 } end

local answer = { clock, 1 }
for n = 3, #KEYS do
  local known = tonumber(ARGV[n + 1])
  local head = ask('GETRANGE', KEYS[n], '0', '57')
  local expiry = tonumber(string.sub(head, 33, 58))
  local version = (head == '' or expiry and expiry <= now) and 0 or tonumber(string.sub(head, 1, 16))
  -- A version after the commit may be one that the store lost and made again with other content.
  if version ~= known or version > since then
    answer[#answer + 1] = n - 3
    answer[#answer + 1] = version == 0 and '' or ask('GET', KEYS[n])
  end
end
return answer
