import { isExpired } from "../expiry.ts";
import type { LogEntry } from "../state-store.ts";
import { jsonOf, LIMIT, numberOf, numberOrNullOf } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The logs of a SQLite store. All methods need the caller's transaction. */
export interface SqliteLogs {
  /** Appends and returns the log's last sequence number. */
  append(log: string, texts: readonly string[], expiresAt: number | null, now: number): number;
  range(log: string, options: { readonly after: number; readonly limit: number }, now: number): readonly LogEntry[];
  /** Deletes some entries of a log that has expired. Returns true if more may remain. */
  sweep(now: number, limit: number): boolean;
}

export function sqliteLogs({ prepare }: Connection): SqliteLogs {
  const selectLog = prepare("SELECT id, last, expires_at FROM logs WHERE name = ?");
  const insertLog = prepare("INSERT INTO logs (name, last, expires_at) VALUES (?, 0, NULL)");
  const updateLog = prepare("UPDATE logs SET last = ?, expires_at = coalesce(?, expires_at) WHERE id = ?");
  const deleteLog = prepare("DELETE FROM logs WHERE id = ?");
  const insertEntry = prepare("INSERT INTO entries (log, sequence, value) VALUES (?, ?, ?)");
  const deleteEntries = prepare("DELETE FROM entries WHERE log = ?");
  const selectEntries = prepare(`
    SELECT sequence, value FROM entries
    WHERE log = (SELECT id FROM logs WHERE name = ? AND (expires_at IS NULL OR expires_at > ?)) AND sequence > ? ORDER BY sequence ${LIMIT}`);
  const selectExpired = prepare("SELECT id FROM logs WHERE expires_at <= ? ORDER BY expires_at LIMIT 1");
  const deleteSome = prepare(
    "DELETE FROM entries WHERE log = ?1 AND sequence IN (SELECT sequence FROM entries WHERE log = ?1 ORDER BY sequence LIMIT ?2)",
  );
  return {
    append(name, texts, expiresAt, now) {
      const { id, last } = current(name, now);
      let sequence = last;
      for (const text of texts) insertEntry.run(id, ++sequence, text);
      updateLog.run(sequence, expiresAt, id);
      return sequence;
    },
    range: (name, { after, limit }, now) =>
      selectEntries.all(name, now, after, limit).map((row) => ({ sequence: numberOf(row, "sequence"), value: jsonOf(row, "value") })),
    sweep(now, limit) {
      const row = selectExpired.get(now);
      if (!row) return false;
      const id = numberOf(row, "id");
      if (Number(deleteSome.run(id, limit).changes) < limit) deleteLog.run(id);
      return true;
    },
  };

  /** Returns the current log. Replaces an expired log with a new one. */
  function current(name: string, now: number): { readonly id: number; readonly last: number } {
    const row = selectLog.get(name);
    if (row) {
      const id = numberOf(row, "id");
      if (!isExpired(numberOrNullOf(row, "expires_at"), now)) return { id, last: numberOf(row, "last") };
      deleteEntries.run(id);
      deleteLog.run(id);
    }
    return { id: Number(insertLog.run(name).lastInsertRowid), last: 0 };
  }
}
