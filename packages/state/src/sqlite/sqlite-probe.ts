import type { Connection } from "./connection.ts";

/** The number of bytes that a change of a few documents needs. */
const PROBE_BYTES = 16 * 1024;

/**
 * Returns a probe, which asks whether the store accepts changes. It writes and removes as many bytes as a change has, in one transaction that is
 * synced like a commit. It rejects as a commit would.
 */
export function sqliteProbe({ prepare, write }: Connection): () => Promise<void> {
  const insert = prepare("INSERT INTO blobs (hash, bytes) VALUES ('probe', zeroblob(?))");
  const remove = prepare("DELETE FROM blobs WHERE hash = 'probe'");
  return () =>
    write(() => {
      insert.run(PROBE_BYTES);
      remove.run();
    });
}
