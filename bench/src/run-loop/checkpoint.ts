import { Redis } from "ioredis";

/** The state of hand-written runs, written by one script per round. */
export interface Checkpoints {
  /** Adds the new messages and one event to a run, and returns the next version. Rejects if the run is no longer at this version. */
  keep(run: string, version: number, messages: readonly object[], event: object): Promise<number>;
  stop(): void;
}

// The version fence, the new messages and the event are what a loop without the product's guarantees needs to continue after a crash.
const SCRIPT = `
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
if version ~= tonumber(ARGV[1]) then return -1 end
redis.call('HSET', KEYS[1], 'version', version + 1)
for i = 3, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
redis.call('XADD', KEYS[3], '*', 'event', ARGV[2])
return version + 1
`;

export async function openCheckpoints(url: string, namespace: string): Promise<Checkpoints> {
  const plain = new URL(url);
  // The query has only the state store's own options.
  plain.search = "";
  const redis = new Redis(plain.href, { lazyConnect: true });
  // Requests to a lost server reject by themselves.
  redis.on("error", () => undefined);
  await redis.connect();
  const sha = String(await redis.script("LOAD", SCRIPT));
  return {
    async keep(run, version, messages, event) {
      const key = `${namespace}:{${run}}`;
      const texts = messages.map((message) => JSON.stringify(message));
      const next = await redis.evalsha(sha, 3, key, `${key}:messages`, `${key}:events`, version, JSON.stringify(event), ...texts);
      if (next !== version + 1) throw new Error(`the run ${run} was moved on by somebody else`);
      return version + 1;
    },
    stop: () => redis.disconnect(),
  };
}
