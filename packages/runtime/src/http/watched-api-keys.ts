import { stat } from "node:fs/promises";
import type { Log } from "@toolbus/telemetry";
import { type ApiKeys, apiKeys, readApiKeys } from "./api-keys.ts";

/** The maximum time until a running service notices an added or removed key. */
export const KEYS_SEEN_WITHIN_MS = 2000;

export interface WatchedApiKeys extends ApiKeys {
  /** Returns a sentence for strangers while the file has changed and cannot be used. */
  warnings(): readonly string[];
  /** Stops watching the file. */
  stop(): void;
}

export interface WatchOptions {
  readonly log: Log;
  /** Returns milliseconds since 1970. */
  readonly clock: () => number;
  readonly everyMs?: number;
}

/**
 * Reads the keys in this file, and reads them again when the file changes. So an added key works, and a removed key stops working, without a restart.
 * If the changed file is invalid, the service logs an error and uses the former keys. If the file is invalid at the start, throws a `Refusal`. It
 * polls the file, because the effect of mounts and renames on file watchers differs between systems.
 */
export async function watchedApiKeys(file: string, { log, clock, everyMs = KEYS_SEEN_WITHIN_MS }: WatchOptions): Promise<WatchedApiKeys> {
  let mark = await markOf(file);
  let current = apiKeys(await readApiKeys(file), clock);
  let looking = false;
  let unusable = false;
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    find: (authorization) => current.find(authorization),
    named: (keyId) => current.named(keyId),
    markOf: (keyId) => current.markOf(keyId),
    principals: () => current.principals(),
    warnings: () => (unusable ? [UNUSABLE] : []),
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
        unusable = false;
        log.info({ file, keys: keys.map(({ id }) => id) }, "the API keys were read again");
      } catch (error) {
        unusable = true;
        log.error(
          { file, why: error instanceof Error ? error.message : String(error) },
          "the API keys were not read again; the former keys stay in use",
        );
      }
    }
    looking = false;
  }
}

const UNUSABLE =
  "The file of API keys was changed and cannot be used, so the former keys stay in use: correct it, and the service's log says why.";

/** Returns a text that changes whenever somebody writes the file. */
async function markOf(file: string): Promise<string> {
  const seen = await stat(file, { bigint: true }).catch(() => null);
  return seen ? `${seen.ino} ${seen.size} ${seen.mtimeNs}` : "gone";
}
