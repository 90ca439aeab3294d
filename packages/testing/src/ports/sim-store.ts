import { type ClaimOptions, type FeedItem, type OutboxRow, type StateStore, StoreUnavailable, type TimerRow } from "@toolbus/state";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { ObservedStore, RowKind } from "./observed-store.ts";
import type { WaitingClaims } from "./waiting-claims.ts";
import { oneWay, portCall, type Wire } from "./wire.ts";

export interface SimStoreOptions {
  readonly wire: Wire;
  readonly process: SimProcess;
  readonly store: ObservedStore;
  readonly claims: WaitingClaims;
  /** Returns true while the store answers nobody. */
  readonly down: () => boolean;
}

/** Makes the state store for one process. Every operation except `follow` and `close` is a request and a reply. Faults can affect both. */
export function simStore({ wire, process, store, claims, down }: SimStoreOptions): StateStore {
  return {
    shards: store.shards,
    ownersDeadBefore: 0,
    probe: () => call("probe", async () => undefined),
    read: (keys) => call(`read ${short(keys[0])}${keys.length > 1 ? ` +${keys.length - 1}` : ""}`, () => store.read(keys)),
    commit: (shard, change) => call(`commit ${short(change.op)}`, () => store.commit(shard, change)),
    head: (shard) => call(`head ${shard}`, () => store.head(shard)),
    changed: (shard, since, known) => call(`changed ${shard} ${known.length}`, () => store.changed(shard, since, known)),
    claim,
    settle: (service, rows) => call(`settle ${service} ${rows.length}`, () => store.settle(service, rows)),
    range: (log, options) => call(`range ${short(log)} after ${options.after}`, () => store.range(log, options)),
    live: (log, batch) => call(`live ${short(log)}`, () => store.live(log, batch)),
    recent: (log) => call(`recent ${short(log)}`, () => store.recent(log)),
    genuine: (log, batches) => call(`genuine ${short(log)}`, () => store.genuine(log, batches)),
    follow: ({ signal }) => follow(signal),
    page: (index, options) => call(`page ${index}`, () => store.page(index, options)),
    putBlob: (bytes) => call("put a blob", () => store.putBlob(bytes)),
    getBlob: (hash) => call("get a blob", () => store.getBlob(hash)),
    async close() {
      // The store continues when one of its clients disconnects.
    },
  };

  function call<T>(label: string, execute: () => Promise<T>): Promise<T> {
    return portCall(wire, process, {
      label: `${process.name}: ${label}`,
      execute: async () => {
        if (down()) throw unavailable();
        return execute();
      },
      unanswered: unavailable,
      timeoutMs: TIMEOUT_MS,
    });
  }

  function claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  function claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  async function claim(service: string, kind: RowKind, options: ClaimOptions): Promise<readonly (TimerRow | OutboxRow)[]> {
    for (;;) {
      const rows = await call(`claim ${service} ${kind}`, () => store.claim(service, kind, options));
      if (rows.length > 0) return rows;
      await claims.wait(process, service, kind);
      if (!process.working) return rows;
    }
  }

  /** Yields appends and live batches some time later and in order, until the connection breaks. After that the follower may have missed items. */
  async function* follow(signal: AbortSignal): AsyncGenerator<FeedItem, void> {
    const connection = new AbortController();
    const heard: FeedItem[] = [];
    let wake = (): void => undefined;
    let broken = false;
    let due = 0;
    const over = (): void => {
      connection.abort();
      wake();
    };
    signal.addEventListener("abort", over, { once: true });
    process.onKill(over);
    void listen();
    try {
      for (;;) {
        yield* heard.splice(0);
        if (signal.aborted) return;
        if (broken) throw unavailable();
        if (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      connection.abort();
      signal.removeEventListener("abort", over);
    }

    async function listen(): Promise<void> {
      for await (const item of store.follow({ signal: connection.signal })) {
        if (down() || wire.faults.hit("unheard")) return arrive("the feed breaks off", () => (broken = true));
        arrive(`hears of ${item.kind === "gap" ? "a gap" : short(item.log)}`, () => heard.push(item));
      }
    }

    function arrive(what: string, task: () => void): void {
      due = Math.max(due, wire.clockwork.now + oneWay(wire));
      process.after(due - wire.clockwork.now, `${process.name}: ${what}`, () => {
        task();
        wake();
      });
    }
  }
}

/** How long the client of a real store waits for an answer, in milliseconds. */
const TIMEOUT_MS = 2000;

function unavailable(): StoreUnavailable {
  return new StoreUnavailable("The state store did not answer.");
}

/** Returns a key or an op in the short form for a history. */
function short(name: string | undefined): string {
  return (name ?? "").replace(/^tb:/, "").slice(0, 90);
}
