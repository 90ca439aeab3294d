import { HOME_SHARD, keys, SEEN_EVERY_MS } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import type { ReadDocument, SealedStore } from "../sealed/sealed-store.ts";

/** The probe of approvals' keys, for as long as approvals runs. */
export interface KeptProbe {
  /** Stops checking, and waits for a check that is running. Safe to call twice. */
  stop(): Promise<void>;
}

export interface KeepProbeOptions {
  readonly sealed: SealedStore;
  readonly newId: () => string;
  readonly log: Pick<Log, "debug" | "warn">;
  /** How often it checks that the probe is stored; 30 s by default. */
  readonly everyMs?: number | undefined;
}

/**
 * Stores a document that the key of grants has signed, so that each worker can check its keys before the first grant comes (decision 0082). Writes it again
 * at a start with another key, and when the store has lost it. Resolves after the first attempt, whether it succeeded or not: no grant depends on it.
 */
export async function keepProbe({ sealed, newId, log, everyMs = SEEN_EVERY_MS }: KeepProbeOptions): Promise<KeptProbe> {
  const key = keys.keyProbe();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  await look((probe) => counts(probe) && !sealed.isOfOlderKey(probe));
  let underWay: Promise<void> = Promise.resolve();
  arm();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
  };

  function arm(): void {
    if (stopping.signal.aborted) return;
    // Replicas may sign with different keys while a rotation is under way. Each accepts what another signed, or they would take turns.
    timer = setTimeout(() => {
      underWay = look(counts).finally(arm);
    }, everyMs).unref();
  }

  async function look(isGood: (probe: ReadDocument) => boolean): Promise<void> {
    try {
      const { now, documents } = await sealed.read([key]);
      const [probe] = documents;
      if (stopping.signal.aborted || !probe || isGood(probe)) return;
      const { outcome } = await sealed.store.commit(HOME_SHARD, {
        op: `probe:${newId()}`,
        guards: [{ key, version: probe.stored?.version ?? 0 }],
        put: [{ key, value: { madeAt: now } }],
      });
      // Stale: another replica was faster.
      if (outcome === "ok") log.debug({}, "the probe of the keys of grants was stored");
    } catch (error) {
      log.warn({ error }, "approvals could not check the probe with which workers check their keys; it tries again");
    }
  }
}

function counts({ opened }: ReadDocument): boolean {
  return opened.kind === "genuine";
}
