import type { Json } from "@toolbus/contracts";
import { commitRepeatedly } from "./commit-repeatedly.ts";
import type { StateStore } from "./state-store.ts";

export interface RecordToAppend {
  /** Names this record; a repeat after a lost reply has the same name. */
  readonly op: string;
  readonly log: string;
  /** A small document beside the log, which says when the last record was added: a commit is guarded by a document, and a log is not one. */
  readonly head: string;
  /** Made with the store's time. */
  readonly entry: (now: number) => Json;
  /** How long the log is kept after its last record, in milliseconds; without it for good. */
  readonly keepMs?: number;
}

/**
 * Adds one record to a log that several writers share. False if others were faster twenty times in a row, so that the record is not stored; throws
 * `StoreUnavailable` if the store does not answer.
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

/** Appends one record at a time in each shard, so that records of one process do not race each other for the head of their log. */
export function recordsInTurn(state: StateStore): (shard: string, record: RecordToAppend) => Promise<boolean> {
  const last = new Map<string, Promise<unknown>>();
  return async (shard, record) => {
    const before = last.get(shard) ?? Promise.resolve();
    const appended = before.then(() => appendRecord(state, shard, record));
    // The next one in line does not depend on how this one ended.
    const ended = appended.catch(() => undefined);
    last.set(shard, ended);
    try {
      return await appended;
    } finally {
      if (last.get(shard) === ended) last.delete(shard);
    }
  };
}
