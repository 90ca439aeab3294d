import type { CommitSteps } from "../commit-steps.ts";
import { isExpired, REMEMBERED_MS } from "../expiry.ts";
import type { PreparedChange } from "../prepared-change.ts";
import type { Guard, StoredDocument } from "../state-store.ts";
import { jsonOf, numberOf, numberOrNullOf, type Row } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The documents and commit numbers of a SQLite store. All methods need the caller's transaction. */
export interface SqliteDocuments extends Pick<CommitSteps, "last" | "repeated" | "guarded"> {
  read(key: string, now: number): StoredDocument | null;
  /** Returns whether the document still has this version, written not after this commit. Version 0 means that it is absent. */
  isAt(guard: Guard, notAfter: number, now: number): boolean;
  /** Writes the puts and removals of the change, the op into its first document, and the shard's commit number. */
  apply(shard: string, change: PreparedChange, now: number, commit: number): void;
  /** Deletes some documents that expired long enough ago. Returns true if more may remain. */
  sweep(now: number, limit: number): boolean;
}

export function sqliteDocuments({ prepare }: Connection): SqliteDocuments {
  const selectCommits = prepare("SELECT commits FROM shards WHERE shard = ?");
  const updateCommits = prepare("UPDATE shards SET commits = ? WHERE shard = ?");
  const selectValue = prepare("SELECT version, value, expires_at FROM documents WHERE key = ?");
  const selectVersion = prepare("SELECT version, expires_at FROM documents WHERE key = ?");
  const selectOp = prepare("SELECT op_commit FROM documents WHERE key = ? AND op = ?");
  const upsert = prepare(`
    INSERT INTO documents (key, version, value, expires_at, op, op_commit) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value, expires_at = excluded.expires_at,
      op = excluded.op, op_commit = excluded.op_commit`);
  const remember = prepare("UPDATE documents SET op = ?, op_commit = ? WHERE key = ?");
  const expireAndRemember = prepare("UPDATE documents SET op = ?, op_commit = ?, expires_at = ? WHERE key = ?");
  const remove = prepare("DELETE FROM documents WHERE key = ?");
  const deleteExpired = prepare(
    "DELETE FROM documents WHERE key IN (SELECT key FROM documents WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)",
  );
  return {
    read(key, now) {
      const row = unexpired(selectValue.get(key), now);
      return row ? { version: numberOf(row, "version"), value: jsonOf(row, "value") } : null;
    },
    isAt: ({ key, version }, notAfter, now) => version <= notAfter && versionOf(key, now) === version,
    last(shard) {
      const row = selectCommits.get(shard);
      return row ? numberOf(row, "commits") : 0;
    },
    repeated({ op, first }) {
      const row = selectOp.get(first.key, op);
      return row ? numberOf(row, "op_commit") : null;
    },
    guarded({ guards }, now) {
      return guards.every(({ key, version }) => versionOf(key, now) === version);
    },
    apply(shard, { op, first, put, remove: removed }, now, commit) {
      updateCommits.run(commit, shard);
      // A removed document stays as an expired one, because it must remember the op for a repeat.
      if (removed.includes(first.key)) expireAndRemember.run(op, commit, now, first.key);
      else if (!put.some(({ key }) => key === first.key)) remember.run(op, commit, first.key);
      for (const key of removed) if (key !== first.key) remove.run(key);
      for (const { key, text, expiresAt } of put) upsert.run(key, commit, text, expiresAt, key === first.key ? op : null, commit);
    },
    sweep: (now, limit) => Number(deleteExpired.run(now - REMEMBERED_MS, limit).changes) === limit,
  };

  function versionOf(key: string, now: number): number {
    const row = unexpired(selectVersion.get(key), now);
    return row ? numberOf(row, "version") : 0;
  }
}

function unexpired(row: Row | undefined, now: number): Row | undefined {
  return row && !isExpired(numberOrNullOf(row, "expires_at"), now) ? row : undefined;
}
