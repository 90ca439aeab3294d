import { HOME_SHARD, keys, type McpLease, parseMcpLease } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** The lease while this replica holds it. */
export interface HeldLease {
  /** Aborts before the lease ends, if this replica could not renew it. From then on, another replica may hold it. */
  readonly lost: AbortSignal;
  /** Stops renewing, and ends the lease so that another replica need not wait. Never rejects. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  readonly state: Pick<StateStore, "read" | "commit" | "ownersDeadBefore">;
  /** The name of this replica, which no other replica has. */
  readonly holder: string;
  readonly monotonic: () => number;
  readonly log: Pick<Log, "warn">;
  readonly timings: LeaseTimings;
}

/** The times of the lease, in milliseconds. */
export interface LeaseTimings {
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The time before the end of a lease in which the holder ends its servers. */
  readonly marginMs: number;
  /** The time between two looks of a replica that stands by. */
  readonly standbyMs: number;
}

export const leaseTimings: LeaseTimings = { leaseMs: 10_000, renewMs: 2500, marginMs: 2500, standbyMs: 1000 };

/**
 * Takes the lease if nobody holds it, and then renews it. Returns null if another replica holds it. The store's clock decides when a lease ends, and
 * a guard decides between two replicas. Rejects with `StoreUnavailable` if the store does not answer.
 */
export async function takeLease({ state, holder, monotonic, log, timings }: LeaseOptions): Promise<HeldLease | null> {
  const { leaseMs, renewMs, marginMs } = timings;
  const key = keys.mcpLease();
  const lost = new AbortController();
  const ending = new AbortController();
  let commits = 0;
  let heldUntil = -Infinity;
  if (!(await hold())) return null;
  const renewing = renew();
  return {
    lost: lost.signal,
    async release() {
      ending.abort();
      await renewing;
      await end().catch((error: unknown) => log.warn({ error }, "the lease of the MCP servers could not be released; it ends by itself"));
    },
  };

  /** Takes or renews the lease. Returns false if another replica holds it. */
  async function hold(): Promise<boolean> {
    // The lease begins at the store's time of the read, so it does not end before this replica believes that it ends.
    const began = monotonic();
    const { now, documents } = await state.read([key]);
    const lease = leaseIn(documents[0]?.value);
    if (lease && lease.holder !== holder && lease.until > now && lease.since >= state.ownersDeadBefore) return false;
    const value: McpLease = { holder, since: lease?.holder === holder ? lease.since : now, until: now + leaseMs };
    const { outcome } = await state.commit(HOME_SHARD, {
      op: `mcp-lease:${holder}:${++commits}`,
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value }],
    });
    if (outcome !== "ok") return false;
    heldUntil = began + leaseMs;
    return true;
  }

  async function renew(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(Math.min(renewMs, heldUntil - marginMs - monotonic()), ending.signal);
      if (ending.signal.aborted) return;
      const held = await Promise.race([hold(), pause(heldUntil - marginMs - monotonic(), ending.signal)]).catch((error: unknown) => {
        log.warn({ error }, "the lease of the MCP servers could not be renewed; it is retried");
        return undefined;
      });
      if (held === false || monotonic() >= heldUntil - marginMs) {
        lost.abort(new Error("The lease of the MCP servers is lost."));
        return;
      }
      // A store that fails at once is not asked without a pause.
      if (held === undefined) await pause(Math.min(renewMs, 100), ending.signal);
    }
  }

  async function end(): Promise<void> {
    const { documents } = await state.read([key]);
    const [stored] = documents;
    if (!stored || leaseIn(stored.value)?.holder !== holder) return;
    await state.commit(HOME_SHARD, { op: `mcp-lease:${holder}:end`, guards: [{ key, version: stored.version }], remove: [key] });
  }
}

function leaseIn(value: unknown): McpLease | null {
  const parsed = parseMcpLease(value);
  return parsed.ok ? parsed.value : null;
}
