import type { Json } from "@toolbus/contracts";
import type { CommitSteps } from "../commit-steps.ts";
import { isExpired, REMEMBERED_MS } from "../expiry.ts";
import type { PreparedChange } from "../prepared-change.ts";
import type { Guard, StoredDocument } from "../state-store.ts";

/** The documents of a memory store. */
export interface MemoryDocuments extends Pick<CommitSteps, "repeated" | "guarded"> {
  read(key: string, now: number): StoredDocument | null;
  /** Returns whether the document still has this version, written not after this commit. Version 0 means that it is absent. */
  isAt(guard: Guard, notAfter: number, now: number): boolean;
  /** Writes the puts and removals of the change, and writes the op into its first document. */
  apply(change: PreparedChange, now: number, commit: number): void;
  sweep(now: number): void;
}

interface Row {
  readonly version: number;
  /** JSON text, so that nobody can change a stored value in place. */
  readonly text: string;
  readonly expiresAt: number | null;
  readonly op: string | null;
  readonly opCommit: number;
}

export function memoryDocuments(): MemoryDocuments {
  const rows = new Map<string, Row>();
  return {
    read(key, now) {
      const row = current(key, now);
      if (!row) return null;
      const value: Json = JSON.parse(row.text);
      return { version: row.version, value };
    },
    isAt({ key, version }, notAfter, now) {
      return version <= notAfter && (current(key, now)?.version ?? 0) === version;
    },
    repeated({ op, first }) {
      const row = rows.get(first.key);
      return row?.op === op ? row.opCommit : null;
    },
    guarded({ guards }, now) {
      return guards.every(({ key, version }) => (current(key, now)?.version ?? 0) === version);
    },
    apply({ op, first, put, remove }, now, commit) {
      const before = rows.get(first.key);
      // A removed document stays as an expired one, because it must remember the op for a repeat.
      if (before) rows.set(first.key, { ...before, op, opCommit: commit, expiresAt: remove.includes(first.key) ? now : before.expiresAt });
      for (const key of remove) if (key !== first.key) rows.delete(key);
      for (const { key, text, expiresAt } of put) {
        rows.set(key, { version: commit, text, expiresAt, op: key === first.key ? op : null, opCommit: commit });
      }
    },
    sweep(now) {
      for (const [key, { expiresAt }] of rows) if (isExpired(expiresAt, now - REMEMBERED_MS)) rows.delete(key);
    },
  };

  function current(key: string, now: number): Row | undefined {
    const row = rows.get(key);
    return row && !isExpired(row.expiresAt, now) ? row : undefined;
  }
}
