import { createHash } from "node:crypto";
import { keys, parseRateMinute, type RateMinute, shardName } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Principal } from "./api-keys.ts";

/** What is left of a caller's minute. */
export interface Taken {
  readonly granted: boolean;
  readonly remaining: number;
  /** Until the minute is over, in milliseconds. */
  readonly resetMs: number;
}

/** How often each principal may do one kind of thing per minute, over all processes of a service. */
export interface RateLimit {
  /** One word for the header, such as `runs`. */
  readonly name: string;
  /** What is limited, for people: `start 60 runs`. */
  readonly words: string;
  readonly perMinute: number;
  /** Uses up one of the caller's minute, or says that none is left. Rejects with `StoreUnavailable`. */
  take(principal: Principal): Promise<Taken>;
}

export interface RateLimitOptions {
  readonly state: StateStore;
  /** Which service's document it is. */
  readonly service: string;
  readonly name: string;
  readonly words: string;
  readonly perMinute: number;
  readonly random: (bytes: number) => Uint8Array;
}

const WINDOW_MS = 60_000;
/** Callers whose minute is remembered here, so that most requests need no read. */
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
 * A minute begins with a caller's first request and is one document that expires when it is over, so nothing of it is left behind. Requests that arrive
 * while one is being counted are counted together: a burst costs one commit, like a single request.
 */
export function rateLimit({ state, service, name, words, perMinute, random }: RateLimitOptions): RateLimit {
  const lanes = new Map<string, Lane>();
  return {
    name,
    words,
    perMinute,
    take({ tenant, id }) {
      const digest = createHash("sha256")
        .update(JSON.stringify([tenant, id]))
        .digest();
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
      // A used-up minute is read again: it may be over.
      const read = lane.known && lane.known.count < perMinute ? null : await readMinute(key);
      const minute = read?.minute ?? lane.known;
      if (!minute) continue;
      const granted = Math.min(wanted, perMinute - minute.count);
      const endsAt = minute.startedAt + WINDOW_MS;
      if (granted <= 0) return { granted: 0, remaining: 0, resetMs: endsAt - (read?.now ?? endsAt) };
      const value = { startedAt: minute.startedAt, count: minute.count + granted };
      const { outcome, commit, now } = await state.commit(shard, {
        // Two processes that count the same request number are two changes.
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
    // An unreadable document starts again.
    return { now, minute: { version: document?.version ?? 0, ...(stored.ok ? stored.value : { startedAt: now, count: 0 }) } };
  }
}
