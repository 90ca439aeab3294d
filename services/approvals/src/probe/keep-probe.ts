import { HOME_SHARD, keys, SEEN_EVERY_MS } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import type { ReadDocument, SealedStore } from "../sealed/sealed-store.ts";

/** The task that keeps the probe of approvals' keys in the store while approvals runs. */
export interface KeptProbe {
  /** Stops checking and waits for a check that is running. A second call does no harm. */
  stop(): Promise<void>;
}

export interface KeepProbeOptions {
  readonly sealed: SealedStore;
  readonly newId: () => string;
  readonly log: Pick<Log, "debug" | "warn">;
  /** The time between two checks that the probe is stored, in milliseconds. The default is 30 s. */
  readonly everyMs?: number | undefined;
}

/**
 * Stores a document that is signed with the key for grants, so that each worker can check its keys before the first grant arrives (decision 0082).
 * Stores the document again at a start with another key, and when the store has lost it. Resolves after the first attempt, even if that attempt
 * failed, because no grant depends on the document.
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
    // During a rotation, replicas may sign with different keys. So each replica accepts a probe that another one signed. Otherwise the replicas would
    // replace each other's probes again and again.
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
      // If the outcome is stale, another replica stored the probe first.
      if (outcome === "ok") log.debug({}, "the probe of the keys of grants was stored");
    } catch (error) {
      log.warn({ error }, "approvals could not check the probe with which workers check their keys; it tries again");
    }
  }
}

function counts({ opened }: ReadDocument): boolean {
  return opened.kind === "genuine";
}
