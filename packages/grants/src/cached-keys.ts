import { describeProblems } from "@toolbus/contracts";
import { importKeys, type ImportedKeys, parseJwks } from "./jwks.ts";
import type { KeySet } from "./key-set.ts";

export interface CachedKeysOptions {
  /** Reads the text of the key set. Has its own deadline, and rejects with a message for the operator. */
  readonly load: () => Promise<string>;
  /** Returns the time of any clock, in milliseconds. */
  readonly clock: () => number;
  /** The shortest time between two loads for unknown key ids. */
  readonly refreshEveryMs: number;
  /** After this time, the set is loaded again even for a known key, so that a revocation takes effect. */
  readonly maxAgeMs: number;
  /** Called with the reason why a load failed. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/**
 * Returns a key set that is loaded on first use, again when it is old, and once for an unknown key id. Invented ids cause at most one load per
 * `refreshEveryMs`. Concurrent lookups share one load. If a load fails, the set keeps its keys. The next load is then tried after 5 seconds, or after
 * `refreshEveryMs` if that is less.
 */
export function cachedKeys({ load, clock, refreshEveryMs, maxAgeMs, onProblem }: CachedKeysOptions): KeySet {
  let keys: ImportedKeys = new Map();
  let loadedAt: number | null = null;
  let failedAt: number | null = null;
  let askedAt: number | null = null;
  let loading: Promise<void> | null = null;

  return {
    async find(kid) {
      if (loading) await loading;
      else if (isDue(kid)) await refresh();
      return keys.get(kid) ?? null;
    },
  };

  function isDue(kid: string): boolean {
    if (within(failedAt, Math.min(RETRY_MS, refreshEveryMs))) return false;
    if (!within(loadedAt, maxAgeMs)) return true;
    if (keys.has(kid) || within(askedAt, refreshEveryMs)) return false;
    askedAt = clock();
    return true;
  }

  function within(since: number | null, ms: number): boolean {
    // A clock that was set back must not freeze the set, so a time in the future is treated as long ago.
    return since !== null && clock() >= since && clock() - since < ms;
  }

  function refresh(): Promise<void> {
    loading = loadOnce().finally(() => {
      loading = null;
    });
    return loading;
  }

  async function loadOnce(): Promise<void> {
    try {
      const parsed = parseJwks(await load());
      if (!parsed.ok) throw new Error(`it is not a key set: ${describeProblems(parsed.problems)}`);
      keys = await importKeys(parsed.value);
      loadedAt = clock();
      failedAt = null;
    } catch (error) {
      failedAt = clock();
      onProblem?.(error instanceof Error ? error.message : String(error));
    }
  }
}

const RETRY_MS = 5000;
