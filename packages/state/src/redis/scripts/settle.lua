#!lua flags=allow-oom
-- Removes rows and their contents. KEYS: per shard the rows, then their contents. ARGV: per shard the number of ids, then the ids.
local at = 1
for n = 1, #KEYS, 2 do
  for _ = 1, tonumber(ARGV[at]) do
    at = at + 1
    redis.call('ZREM', KEYS[n], ARGV[at])
    redis.call('HDEL', KEYS[n + 1], ARGV[at])
  end
  at = at + 1
end
