import { Redis } from "ioredis";

/** The stored state of hand-written runs. One Redis script per round writes it. */
export interface Checkpoints {
  /** Adds the new messages and one event to a run, and returns the next version. Rejects if the run is no longer at this version. */
  keep(run: string, version: number, messages: readonly object[], event: object): Promise<number>;
  stop(): void;
}

// A loop without the product's guarantees needs these three to continue after a crash: the version check, the new messages and the event.
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
  // The query of the address has only options of our state store.
  plain.search = "";
  const redis = new Redis(plain.href, { lazyConnect: true });
  // Requests reject by themselves when the connection is lost, so the error event needs no handling.
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
