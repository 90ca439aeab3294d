import type { Json } from "@toolbus/contracts";
import { commitRepeatedly } from "./commit-repeatedly.ts";
import type { StateStore } from "./state-store.ts";

export interface RecordToAppend {
  /** Names this record. A repeat after a lost reply has the same name. */
  readonly op: string;
  readonly log: string;
  /**
   * A small document beside the log. It stores when the last record was added. A commit needs a guard on a document, and a log is not a document.
   */
  readonly head: string;
  /** Makes the entry. `now` is the store's time. */
  readonly entry: (now: number) => Json;
  /** How long the log is kept after its last record, in milliseconds. Without it, the log never expires. */
  readonly keepMs?: number;
}

/**
 * Adds one record to a log that several writers share. Returns false, without storing the record, if other writers were faster twenty times in a row.
 * Throws `StoreUnavailable` if the store does not answer.
 */
export async function appendRecord(state: StateStore, shard: string, record: RecordToAppend): Promise<boolean> {
  const { op, log, head, entry, keepMs } = record;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { now, documents } = await state.read([head]);
    const reply = await commitRepeatedly(state, shard, {
      op,
      guards: [{ key: head, version: documents[0]?.version ?? 0 }],
      put: [{ key: head, value: { lastAt: now } }],
      append: [{ log, entries: [entry(now)], ...(keepMs === undefined ? {} : { expiresAt: now + keepMs }) }],
    });
    if (reply.outcome === "ok") return true;
  }
  return false;
}

const MAX_ATTEMPTS = 20;

/** Appends one record at a time in each shard, so that the records of one process do not race each other for the head of their log. */
export function recordsInTurn(state: StateStore): (shard: string, record: RecordToAppend) => Promise<boolean> {
  const last = new Map<string, Promise<unknown>>();
  return async (shard, record) => {
    const before = last.get(shard) ?? Promise.resolve();
    const appended = before.then(() => appendRecord(state, shard, record));
    // The next record is appended even if this one failed.
    const ended = appended.catch(() => undefined);
    last.set(shard, ended);
    try {
      return await appended;
    } finally {
      if (last.get(shard) === ended) last.delete(shard);
    }
  };
}
