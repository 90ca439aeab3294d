import { type Json, keys, shardOf } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore, type StoredDocument } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { type CrashMark, crashMarkOf } from "./crash-mark.ts";
import type { WorkerTimings } from "./worker-timings.ts";

/** A mark that this process keeps while a call runs. None of its methods throws: at worst the next attempt finds an older mark. */
export interface KeptMark {
  /** From now on others run beside the call. */
  notAlone(): Promise<void>;
  /** The call ended properly. */
  remove(): Promise<void>;
}

export interface CrashMarks {
  /** The mark of a call, the version to write it with, and the store's clock. Throws `StoreUnavailable`. */
  find(callId: string): Promise<{ readonly mark: CrashMark | null; readonly version: number; readonly now: number }>;
  /** Writes the mark and renews it; null if another worker wrote one at the same moment. Throws `StoreUnavailable`. */
  keep(callId: string, mark: Pick<CrashMark, "by" | "deaths" | "alone">, version: number): Promise<KeptMark | null>;
}

const TRIES = 3;
/** Longer than a message lives. */
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
        // Another worker was faster. Or the store has lost commits and refuses the first commit that shows it; then there is no mark
        // either.
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

      /** One write at a time; none after the removal. */
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
