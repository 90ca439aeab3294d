import {
  type Change,
  type ClaimOptions,
  type CommitReply,
  type OutboxRow,
  type StateStore,
  StoreUnavailable,
  type TimerRow,
} from "./state-store.ts";

/**
 * The store remembers a failure until something of its kind succeeds, but not for longer than this. The limit is necessary, because a service that is
 * not ready receives no work that could succeed.
 */
const REMEMBERED_MS = 15_000;
/** One unusable document does not prove that its shard is damaged. This many different unusable documents in a row do. */
const DIFFERENT_DOCUMENTS = 3;

interface Failures {
  /** The first documents of the changes that failed since the last success. */
  readonly of: Set<string>;
  at: number;
  error: unknown;
}

/**
 * Returns the same store, whose `probe` also reflects the outcomes of recent work. `probe` rejects with the fault "damaged" while the changes of a
 * shard, or the claims of a service's timers or outbox, keep failing. Outages and malformed changes do not count as such failures. `probe` rejects
 * with the store's own reason if the last change failed for lack of room, although a small change still fits.
 */
export function rememberingOutcomes(store: StateStore, monotonic: () => number): StateStore {
  const failing = new Map<string, Failures>();
  let noRoom: { readonly error: StoreUnavailable; readonly at: number } | null = null;
  return {
    ...store,
    claim,
    commit: (shard: string, change: Change): Promise<CommitReply> =>
      remembered(`shard ${shard}`, change.guards[0]?.key ?? "", store.commit(shard, change)),
    async probe() {
      await store.probe();
      const now = monotonic();
      if (noRoom && now - noRoom.at < REMEMBERED_MS) throw noRoom.error;
      for (const [what, { of, at, error }] of failing) {
        if (now - at >= REMEMBERED_MS) failing.delete(what);
        else if (of.size >= DIFFERENT_DOCUMENTS || of.has(ROWS))
          throw new StoreUnavailable(
            `The state store cannot be used for ${what}: ${error instanceof Error ? error.message : "it failed"}`,
            {
              cause: error,
              fault: "damaged",
            },
          );
      }
    },
  };

  function claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  function claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  function claim(service: string, kind: "timer" | "outbox", options: ClaimOptions): Promise<readonly (TimerRow | OutboxRow)[]> {
    const rows = kind === "timer" ? store.claim(service, kind, options) : store.claim(service, kind, options);
    return remembered<readonly (TimerRow | OutboxRow)[]>(`the ${kind} rows of ${service}`, null, rows);
  }

  /** `document` is null for rows, because only their service and this store write rows. */
  async function remembered<T>(what: string, document: string | null, work: Promise<T>): Promise<T> {
    try {
      const done = await work;
      if (failing.size > 0) failing.delete(what);
      if (document !== null) noRoom = null;
      return done;
    } catch (error) {
      note(what, document ?? ROWS, error);
      throw error;
    }
  }

  function note(what: string, document: string, error: unknown): void {
    // A malformed change says nothing about the state of the store.
    if (error instanceof TypeError || error instanceof RangeError) return;
    const at = monotonic();
    if (error instanceof StoreUnavailable) {
      if (error.fault !== undefined && document !== ROWS) noRoom = { error, at };
      return;
    }
    const failures = failing.get(what) ?? { of: new Set<string>(), at, error };
    if (failures.of.size < DIFFERENT_DOCUMENTS) failures.of.add(document);
    failing.set(what, Object.assign(failures, { at, error }));
  }
}

const ROWS = "";
