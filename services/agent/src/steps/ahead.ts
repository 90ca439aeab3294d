import { shardOf } from "@toolbus/contracts";
import type { Change, CommitReply } from "@toolbus/state";
import type { Snapshots } from "../documents/snapshots.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import type { Transcripts } from "./transcripts.ts";

/**
 * How long a change may wait for the commit that ends the step, in milliseconds. A process that dies within this time repeats local reads and a call
 * of the model.
 */
export const RIDE_MS = 100;

/** What became of a change that rides. */
export type Ridden =
  /** The taker must commit this change together with its own. */
  | { readonly kind: "riding"; readonly change: Change }
  /** The change was committed alone. */
  | { readonly kind: "committed" }
  /** The change was refused, or its outcome is unknown. */
  | { readonly kind: "lost" };

/**
 * A step that begins before its beginning is committed. The change that begins it (a start, or results that were joined, and the acquisition of the
 * run) rides on the commit that ends the step. If the step takes longer than `RIDE_MS`, the change is committed alone.
 */
export interface Ahead {
  /** The documents from which the change was made. */
  readonly base: Snapshot;
  /** The documents as the change leaves them, with the version of this ride. */
  held(): Snapshot;
  /** Resolves when the change rides no longer, with true if it was committed alone. Viewers may be shown nothing of the step before that. */
  readonly alone: Promise<boolean>;
  /** Ends the ride. Waits if the change is just being committed alone. */
  take(): Promise<Ridden>;
  /** Commits the change alone now, for a step that needs it in the store. Whether this worked shows at the end of the step. */
  store(): Promise<void>;
  /** Commits the change alone now, for a step that ends without a commit. Repeats the work in another way if the change is refused. */
  settle(): Promise<void>;
  /** Repeats the work of the change from the stored documents, because the change was refused. */
  again(): Promise<void>;
}

export interface AheadOptions {
  readonly base: Snapshot;
  readonly change: Change;
  /** The snapshot after the change, with the version of this ride (`Rides.pending`). */
  readonly after: Snapshot;
  /** How much of `RIDE_MS` is left. */
  readonly rideMs: number;
  readonly again: () => Promise<void>;
}

interface Parts {
  readonly outbox: { commit(shard: string, change: Change): Promise<CommitReply> };
  readonly snapshots: Snapshots;
  readonly transcripts: Transcripts;
  readonly monotonic: () => number;
}

/** Begins the ride of a change. `transcripts` must already know what the change appends. */
export function rideAhead(
  { outbox, snapshots, transcripts, monotonic }: Parts,
  { base, change, after, rideMs, again }: AheadOptions,
): Ahead {
  const { runId, conversationId } = base.run.value;
  const began = monotonic();
  const { promise: alone, resolve: ended } = Promise.withResolvers<boolean>();
  let committing: Promise<Ridden> | null = null;
  let taken = false;
  const timer = setTimeout(() => void commitAlone(), Math.max(0, rideMs));
  return {
    base,
    alone,
    held: () => ({ ...after, now: after.now + Math.ceil(monotonic() - began) }),
    async take() {
      clearTimeout(timer);
      if (committing) return committing;
      taken = true;
      ended(false);
      return { kind: "riding", change };
    },
    async store() {
      clearTimeout(timer);
      if (!taken) await commitAlone();
    },
    async settle() {
      if (taken) return;
      clearTimeout(timer);
      if ((await commitAlone()).kind === "lost") await repeat();
    },
    again: repeat,
  };

  function commitAlone(): Promise<Ridden> {
    return (committing ??= outbox.commit(shardOf(runId), change).then(
      (reply): Ridden => {
        const isCommitted = reply.outcome === "ok";
        if (isCommitted) snapshots.written(base, change, reply, { before: after.run.version, change: null });
        ended(isCommitted);
        return { kind: isCommitted ? "committed" : "lost" };
      },
      (): Ridden => {
        ended(false);
        return { kind: "lost" };
      },
    ));
  }

  async function repeat(): Promise<void> {
    transcripts.forget(conversationId);
    snapshots.forget(runId);
    await again();
  }
}
