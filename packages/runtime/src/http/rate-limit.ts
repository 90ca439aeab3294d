import { hash } from "node:crypto";
import { keys, parseRateMinute, type RateMinute, shardName } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Principal } from "./api-keys.ts";

/** The decision about one request: whether the limit allows it, and what remains of the caller's minute. */
export interface Taken {
  readonly granted: boolean;
  readonly remaining: number;
  /** The time to the end of the minute, in milliseconds. */
  readonly resetMs: number;
}

/** The limit on one kind of request of each principal per minute. All processes of a service share it. */
export interface RateLimit {
  /** One word for the header, such as `runs`. */
  readonly name: string;
  /** The limited action in words, such as `start 60 runs`. */
  readonly words: string;
  readonly perMinute: number;
  /** Counts one request of the caller. The result says whether the limit allows it. Rejects with `StoreUnavailable`. */
  take(principal: Principal): Promise<Taken>;
}

export interface RateLimitOptions {
  readonly state: StateStore;
  /** The service that owns the documents. */
  readonly service: string;
  readonly name: string;
  readonly words: string;
  readonly perMinute: number;
  readonly random: (bytes: number) => Uint8Array;
}

const WINDOW_MS = 60_000;
/** The number of callers whose minute is cached in this process, so that most requests need no read. */
const REMEMBERED = 10_000;
const TRIES = 20;

interface Minute extends RateMinute {
  readonly version: number;
}

interface Lane {
  waiting: { readonly resolve: (taken: Taken) => void; readonly reject: (error: unknown) => void }[];
  busy: boolean;
  known: Minute | null;
}

/**
 * Creates a limit. A minute begins with a caller's first request. The store has one document for each minute, which expires at its end. Requests that
 * arrive while another one is counted share the next commit, so a burst needs few commits.
 */
export function rateLimit({ state, service, name, words, perMinute, random }: RateLimitOptions): RateLimit {
  const lanes = new Map<string, Lane>();
  return {
    name,
    words,
    perMinute,
    take({ tenant, id }) {
      const digest = hash("sha256", JSON.stringify([tenant, id]), "buffer");
      const shard = shardName((digest[0] ?? 0) % state.shards);
      const key = keys.rate(service, shard, `${name}:${digest.toString("hex").slice(0, 32)}`);
      const lane = laneOf(key);
      return new Promise((resolve, reject) => {
        lane.waiting.push({ resolve, reject });
        if (!lane.busy) void serve(lane, shard, key);
      });
    },
  };

  function laneOf(key: string): Lane {
    const found = lanes.get(key);
    if (found) return found;
    for (const [oldest, { busy }] of lanes) {
      if (lanes.size < REMEMBERED) break;
      if (!busy) lanes.delete(oldest);
    }
    const lane: Lane = { waiting: [], busy: false, known: null };
    lanes.set(key, lane);
    return lane;
  }

  async function serve(lane: Lane, shard: string, key: string): Promise<void> {
    lane.busy = true;
    while (lane.waiting.length > 0) {
      const batch = lane.waiting;
      lane.waiting = [];
      try {
        const { granted, remaining, resetMs } = await count(lane, shard, key, batch.length);
        batch.forEach(({ resolve }, i) => resolve({ granted: i < granted, remaining, resetMs }));
      } catch (error) {
        lane.known = null;
        for (const { reject } of batch) reject(error);
      }
    }
    lane.busy = false;
  }

  async function count(lane: Lane, shard: string, key: string, wanted: number) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      // If the known minute is used up, read it again, because it may have ended.
      const read = lane.known && lane.known.count < perMinute ? null : await readMinute(key);
      const minute = read?.minute ?? lane.known;
      if (!minute) continue;
      const granted = Math.min(wanted, perMinute - minute.count);
      const endsAt = minute.startedAt + WINDOW_MS;
      if (granted <= 0) return { granted: 0, remaining: 0, resetMs: endsAt - (read?.now ?? endsAt) };
      const value = { startedAt: minute.startedAt, count: minute.count + granted };
      const { outcome, commit, now } = await state.commit(shard, {
        // The op is random, because two processes that count to the same number make two different changes.
        op: `rate:${Buffer.from(random(12)).toString("base64url")}`,
        guards: [{ key, version: minute.version }],
        put: [{ key, value, expiresAt: endsAt }],
      });
      lane.known = outcome === "ok" ? { version: commit, ...value } : null;
      if (outcome === "ok") return { granted, remaining: perMinute - value.count, resetMs: Math.max(0, endsAt - now) };
    }
    throw new Error(`The requests of one caller could not be counted in ${TRIES} tries.`);
  }

  async function readMinute(key: string): Promise<{ readonly now: number; readonly minute: Minute }> {
    const { now, documents } = await state.read([key]);
    const [document] = documents;
    const stored = parseRateMinute(document?.value);
    // If the document has no valid content, a new minute starts.
    return { now, minute: { version: document?.version ?? 0, ...(stored.ok ? stored.value : { startedAt: now, count: 0 }) } };
  }
}
