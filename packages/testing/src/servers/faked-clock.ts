import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The clock of a private server. A test may set it while the server is running. Durations inside the server stay real. */
export interface FakedClock {
  /** The environment for the start of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock this many milliseconds (rounded down to seconds) ahead of the real one, or behind it if negative. */
  set(ms: number): void;
  remove(): void;
}

/** The remedy that a test shows if libfaketime is missing. */
export const FAKED_CLOCK_REMEDY = "apt-get install libfaketime";

/** Returns a clock, or null if the machine has no libfaketime. */
export function fakedClock(): FakedClock | null {
  const libraries = librariesOf("libfaketime.so.1", "faketime");
  const libc = librariesOf("libc.so.6", "");
  if (libraries === null || libc === null) return null;
  const folder = mkdtempSync(path.join(tmpdir(), "toolbus-clock-"));
  const file = path.join(folder, "shift");
  const clock: FakedClock = {
    env: {
      // Preloads the C library too. Without it, Redis' allocator asks for the time before libfaketime has found the real function.
      LD_PRELOAD: `${libraries}:${libc}`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    set(ms) {
      // Replaces the file atomically, because the server reads the file each time it reads the clock.
      writeFileSync(`${file}.new`, `${ms < 0 ? "-" : "+"}${Math.abs(Math.trunc(ms / 1000))}\n`);
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  clock.set(0);
  return clock;
}

/** Returns a library for this machine's architecture, in the layout of Debian and its derivatives, or null. */
function librariesOf(name: string, folder: string): string | null {
  const roots = ["/usr/lib", "/lib"].filter((root) => existsSync(root));
  const triples = roots.flatMap((root) =>
    readdirSync(root)
      .filter((entry) => entry.endsWith("-linux-gnu"))
      .map((entry) => path.join(root, entry)),
  );
  return triples.map((triple) => path.join(triple, folder, name)).find((file) => existsSync(file)) ?? null;
}
