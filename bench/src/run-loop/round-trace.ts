import type { Change, StateStore } from "@toolbus/state";
import type { ModelWitness } from "./chat-provider.ts";

/** The requests of a run to its store between the end of one model call and the beginning of the next. */
export interface RoundTrace {
  /** The names of the round trips that did not overlap, in order. Their times add up. */
  readonly inSeries: readonly string[];
  /** The number of written bytes, as JSON. */
  readonly bytes: number;
}

export interface RoundTracer extends ModelWitness {
  /**
   * Returns the same store, with its requests recorded. Some work of a service (claims, settling, the feed) is done for all runs, and no run waits
   * for it. Such work is not recorded.
   */
  watch(state: StateStore): StateStore;
  begin(): void;
  end(): readonly RoundTrace[];
}

interface Operation {
  readonly name: string;
  readonly bytes: number;
  readonly started: number;
  ended: number;
}

export function roundTracer(): RoundTracer {
  let rounds: Operation[][] | null = null;
  let current: Operation[] | null = null;
  return {
    watch: (state) => ({
      ...state,
      read: (keys) =>
        noted(
          () => state.read(keys),
          () => of("read", keys),
        ),
      commit: (shard, change) =>
        noted(
          () => state.commit(shard, change),
          () => ({ name: `commit ${verbOf(change)}`, bytes: sizeOf(change) }),
        ),
      range: (log, options) =>
        noted(
          () => state.range(log, options),
          () => of("range", [log]),
        ),
      live: (log, batch) =>
        noted(
          () => state.live(log, batch),
          () => of("live", [log], sizeOf(batch)),
        ),
      recent: (log) =>
        noted(
          () => state.recent(log),
          () => of("recent", [log]),
        ),
      page: (index, options) =>
        noted(
          () => state.page(index, options),
          () => of("page", [index]),
        ),
      putBlob: (bytes) =>
        noted(
          () => state.putBlob(bytes),
          () => ({ name: "putBlob", bytes: bytes.length }),
        ),
      getBlob: (hash) =>
        noted(
          () => state.getBlob(hash),
          () => ({ name: "getBlob", bytes: 0 }),
        ),
    }),
    asked() {
      if (current) rounds?.push(current);
      current = null;
    },
    answered() {
      current = rounds && [];
    },
    begin() {
      rounds = [];
      current = null;
    },
    end() {
      const traced = (rounds ?? []).map((operations) => ({ inSeries: inSeries(operations), bytes: bytesOf(operations) }));
      rounds = null;
      current = null;
      return traced;
    },
  };

  /** Records a request while a trace is active. Otherwise it only makes the request, and does not build its description. */
  function noted<T>(ask: () => Promise<T>, what: () => Pick<Operation, "name" | "bytes">): Promise<T> {
    return current ? kept(current, ask, what()) : ask();
  }
}

async function kept<T>(operations: Operation[], ask: () => Promise<T>, what: Pick<Operation, "name" | "bytes">): Promise<T> {
  const operation: Operation = { ...what, started: performance.now(), ended: Number.POSITIVE_INFINITY };
  operations.push(operation);
  try {
    return await ask();
  } finally {
    operation.ended = performance.now();
  }
}

/** Returns the longest sequence without overlap. It always chooses the next operation that ends first. */
function inSeries(operations: readonly Operation[]): readonly string[] {
  const names: string[] = [];
  let free = 0;
  for (const { name, started, ended } of operations.toSorted((a, b) => a.ended - b.ended)) {
    if (started < free || ended === Number.POSITIVE_INFINITY) continue;
    names.push(name);
    free = ended;
  }
  return names;
}

function bytesOf(operations: readonly Operation[]): number {
  return operations.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Names an operation by the families of its keys. `tb:run:{00}:rn_…` is of the family run. */
function of(verb: string, keys: readonly string[], bytes = 0): Pick<Operation, "name" | "bytes"> {
  const families = new Set(keys.map((key) => key.split(":")[1] ?? key));
  return { name: `${verb} ${[...families].join(", ") || "nothing"}`, bytes };
}

/** Returns the first word of a change's op, which names the change. */
function verbOf({ op }: Change): string {
  return op.split(":")[0] ?? op;
}

function sizeOf(value: object | string | number | boolean | null): number {
  return Buffer.byteLength(JSON.stringify(value));
}
