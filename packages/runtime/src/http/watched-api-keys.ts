import { stat } from "node:fs/promises";
import type { Log } from "@toolbus/telemetry";
import { type ApiKeys, apiKeys, readApiKeys } from "./api-keys.ts";

/** The longest time until a running service notices a key that was added or removed. */
export const KEYS_SEEN_WITHIN_MS = 2000;

export interface WatchedApiKeys extends ApiKeys {
  /** Stops watching the file. */
  stop(): void;
}

export interface WatchOptions {
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly everyMs?: number;
}

/**
 * The keys in this file, read again when it has changed, without a restart: an added key works, a removed one is unknown. A file that can no longer be used
 * changes nothing and is reported once; at the start it throws the `Refusal`. The file is polled, because what mounts and renames do to listeners differs
 * from system to system.
 */
export async function watchedApiKeys(file: string, { log, clock, everyMs = KEYS_SEEN_WITHIN_MS }: WatchOptions): Promise<WatchedApiKeys> {
  let mark = await markOf(file);
  let current = apiKeys(await readApiKeys(file), clock);
  let looking = false;
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    find: (authorization) => current.find(authorization),
    named: (keyId) => current.named(keyId),
    stop: () => clearInterval(timer),
  };

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    const now = await markOf(file);
    if (now !== mark) {
      mark = now;
      try {
        const keys = await readApiKeys(file);
        current = apiKeys(keys, clock);
        log.info({ file, keys: keys.map(({ id }) => id) }, "the API keys were read again");
      } catch (error) {
        log.error(
          { file, why: error instanceof Error ? error.message : String(error) },
          "the API keys were not read again; the former keys stay in use",
        );
      }
    }
    looking = false;
  }
}

/** Changes whenever the file is written again. */
async function markOf(file: string): Promise<string> {
  const seen = await stat(file, { bigint: true }).catch(() => null);
  return seen ? `${seen.ino} ${seen.size} ${seen.mtimeNs}` : "gone";
}
