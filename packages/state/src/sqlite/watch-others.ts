import { numberOf } from "./columns.ts";
import type { Connection } from "./connection.ts";

const POLL_MS = 250;

/**
 * Reports that another connection has committed. It asks SQLite for its data version four times a second, and does not know what was committed. Its
 * timer does not keep the process alive.
 */
export function watchOthers(connection: Connection, changed: () => void): { stop(): void } {
  const dataVersion = connection.prepare("PRAGMA data_version");
  let seen = version();
  const timer = setInterval(() => {
    const now = version();
    // Null means that the database could not be read. The next poll notices the same change.
    if (now === null || now === seen) return;
    seen = now;
    changed();
  }, POLL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };

  function version(): number | null {
    try {
      const row = dataVersion.get();
      return row ? numberOf(row, "data_version") : null;
    } catch {
      return null;
    }
  }
}
