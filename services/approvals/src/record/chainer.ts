import { type ChainLease, keys, parseChainLease, shardName } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { CHAIN_SHARD } from "./chain-batch.ts";
import { ChainRefused, type CopyRecords } from "./copy-records.ts";

/** The task that copies the records of the audit into the chains while approvals runs. */
export interface Chainer {
  /** Copies the records of this shard soon. Call it after a commit that added some. */
  soon(shard: string): void;
  /** Stops copying and waits for a copy that is running. A second call does no harm. */
  stop(): Promise<void>;
}

export interface ChainerOptions {
  readonly state: Pick<StateStore, "read" | "commit" | "shards" | "ownersDeadBefore">;
  readonly copy: CopyRecords;
  readonly newId: () => string;
  readonly log: Pick<Log, "error" | "warn">;
  /** The time between two looks at all shards, in milliseconds. A look finds the records that other replicas added. */
  readonly everyMs: number;
  /** The time after a commit of this process until its records are copied, in milliseconds. One copy then takes the records of several commits. */
  readonly soonMs: number;
}

/**
 * Starts the chainer. Any number of replicas may run one. The one with the lease copies, and another one takes over after the lease ends. If two of
 * them work at the same time, the guards of the commits keep the chains right, so a lease that is lost too late does no harm.
 */
export function startChainer({ state, copy, newId, log, everyMs, soonMs }: ChainerOptions): Chainer {
  const holder = newId();
  const waiting = new Set<string>(allShards());
  let stopped = false;
  let refused = "";
  let held = false;
  let underWay: Promise<void> | null = null;
  let armed: NodeJS.Timeout | undefined;
  const sweep = setInterval(() => {
    for (const shard of allShards()) waiting.add(shard);
    run();
  }, everyMs).unref();
  run();
  return {
    soon(shard) {
      waiting.add(shard);
      armed ??= setTimeout(run, soonMs).unref();
    },
    async stop() {
      stopped = true;
      clearInterval(sweep);
      clearTimeout(armed);
      await underWay;
      await releaseLease();
    },
  };

  function run(): void {
    clearTimeout(armed);
    armed = undefined;
    if (stopped || underWay) return;
    underWay = pass().finally(() => {
      underWay = null;
    });
  }

  /** Copies the records of the waiting shards if this replica has the lease. */
  async function pass(): Promise<void> {
    try {
      if (!(await holdsLease())) return;
      for (const shard of waiting) await copyAll(shard);
      refused = "";
    } catch (error) {
      if (!(error instanceof ChainRefused)) {
        log.warn({ error }, "records of the audit could not be chained; approvals tries again");
        return;
      }
      if (error.message !== refused) log.error({ error }, "the chain of the audit is not what approvals stored, so no record is chained");
      refused = error.message;
    }
  }

  async function copyAll(shard: string): Promise<void> {
    waiting.delete(shard);
    // A stale commit means that another chainer is copying. So this one leaves the remaining records to the next look.
    for (let stale = 0; !stopped && stale < MOST_STALE;) {
      const step = await copy.step(shard);
      if (step === "done") return;
      if (step === "stale") stale++;
    }
  }

  async function holdsLease(): Promise<boolean> {
    const key = keys.auditLease();
    const { now, documents } = await state.read([key]);
    const stored = parseChainLease(documents[0]?.value);
    const lease = stored.ok ? stored.value : null;
    if (lease && lease.holder !== holder && isValid(lease, now)) return false;
    if (lease?.holder === holder && lease.until - now > LEASE_MS / 2) return true;
    const { outcome } = await state.commit(CHAIN_SHARD, {
      op: `chainer:${holder}:${newId()}`,
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value: { holder, since: now, until: now + LEASE_MS } }],
    });
    held = outcome === "ok";
    return held;
  }

  /** Ends the lease, so that another replica need not wait for its end. */
  async function releaseLease(): Promise<void> {
    if (!held) return;
    held = false;
    const key = keys.auditLease();
    try {
      const { documents } = await state.read([key]);
      const lease = parseChainLease(documents[0]?.value);
      if (!documents[0] || !lease.ok || lease.value.holder !== holder) return;
      const guards = [{ key, version: documents[0].version }];
      await state.commit(CHAIN_SHARD, { op: `chainer:${holder}:released`, guards, remove: [key] });
    } catch (error) {
      log.warn({ error }, "the lease on the chain of the audit could not be released; it ends by itself");
    }
  }

  function isValid({ since, until }: ChainLease, now: number): boolean {
    return until > now && since >= state.ownersDeadBefore && until - now <= LEASE_MS;
  }

  function allShards(): readonly string[] {
    return Array.from({ length: state.shards }, (_, n) => shardName(n));
  }
}

const LEASE_MS = 15_000;
const MOST_STALE = 10;
