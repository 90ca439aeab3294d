import type { Connection } from "./connection.ts";

/** As much as a change of a few documents takes. */
const PROBE_BYTES = 16 * 1024;

/**
 * Asks whether changes are taken: writes as many bytes as a change has and removes them, in one transaction that is synced as a commit is. Rejects as a
 * commit would.
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
