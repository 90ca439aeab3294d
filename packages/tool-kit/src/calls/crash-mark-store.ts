import { type Json, keys, shardOf } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore, type StoredDocument } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { type CrashMark, crashMarkOf } from "./crash-mark.ts";
import type { WorkerTimings } from "../worker-timings.ts";

/** A mark that this process renews while a call runs. Its methods never throw. At worst, the next attempt finds an older mark. */
export interface KeptMark {
  /** Records that other calls now run beside this call. */
  notAlone(): Promise<void>;
  /** Removes the mark, because the call ended properly. */
  remove(): Promise<void>;
}

export interface CrashMarks {
  /** Returns the mark of a call, the version that a write of the mark requires, and the store's time. Throws `StoreUnavailable`. */
  find(callId: string): Promise<{ readonly mark: CrashMark | null; readonly version: number; readonly now: number }>;
  /** Writes the mark and renews it. Returns null if another worker wrote a mark at the same moment. Throws `StoreUnavailable`. */
  keep(callId: string, mark: Pick<CrashMark, "by" | "deaths" | "alone">, version: number): Promise<KeptMark | null>;
}

const TRIES = 3;
/** The time for which the store keeps a mark. It is longer than the lifetime of a message. */
const KEEP_MS = 25 * 3_600_000;

export function crashMarks(options: {
  readonly toolset: string;
  readonly state: StateStore;
  readonly timings: WorkerTimings;
  readonly log: Log;
}): CrashMarks {
  const { toolset, state, timings, log } = options;
  return {
    async find(callId) {
      const { now, documents } = await state.read([keys.crashMark(toolset, callId)]);
      const stored: StoredDocument | null = documents[0] ?? null;
      return { mark: crashMarkOf(stored?.value), version: stored?.version ?? 0, now };
    },
    async keep(callId, begun, before) {
      const key = keys.crashMark(toolset, callId);
      const shard = shardOf(callId);
      let mark: Omit<CrashMark, "until"> = { ...begun, since: (await state.read([])).now };
      let version = before;
      let writes = 0;
      let over = false;
      for (let tries = 1; !(await put(mark)); tries++) {
        // Either another worker was faster, or the store has lost commits and refuses the first commit that shows the loss. In the second case, there
        // is no mark.
        const { documents } = await state.read([key]);
        const found = crashMarkOf(documents[0]?.value);
        if (tries === TRIES || (found !== null && found.by !== mark.by)) return null;
        version = documents[0]?.version ?? 0;
      }
      let last: Promise<unknown> = Promise.resolve();
      let renewal = setTimeout(renew, timings.renewMs).unref();
      return {
        notAlone: () => inTurn(() => put({ ...mark, alone: false })),
        remove() {
          clearTimeout(renewal);
          const removed = inTurn(async () => {
            const op = `crash-mark-ends:${callId}:${mark.by}:${version}`;
            await commitRepeatedly(state, shard, { op, guards: [{ key, version }], remove: [key] });
          });
          over = true;
          return removed;
        },
      };

      function renew(): void {
        void inTurn(() => put(mark)).finally(() => {
          if (!over) renewal = setTimeout(renew, timings.renewMs).unref();
        });
      }

      async function put(next: typeof mark): Promise<boolean> {
        const { now } = await state.read([]);
        const value: CrashMark = { ...next, until: now + timings.leaseMs };
        const reply = await commitRepeatedly(state, shard, {
          op: `crash-mark:${callId}:${next.by}:${version}:${++writes}`,
          guards: [{ key, version }],
          put: [{ key, value: value as unknown as Json, expiresAt: now + KEEP_MS }],
        });
        if (reply.outcome !== "ok") return false;
        mark = next;
        version = reply.commit;
        return true;
      }

      /** Makes one write at a time, and none after the removal. */
      function inTurn(write: () => Promise<unknown>): Promise<void> {
        if (over) return Promise.resolve();
        const written = last.then(write).then(
          () => undefined,
          (error: unknown) => log.warn({ error, callId }, "the mark of a call that runs again could not be written"),
        );
        last = written;
        return written;
      }
    },
  };
}
