import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The clock of a private server that its test may set, also while it runs. Durations inside the server stay real. */
export interface FakedClock {
  /** What the server is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock to so many milliseconds (whole seconds count) ahead of the real one; negative is behind. */
  set(ms: number): void;
  remove(): void;
}

/** What a test that needs one says where there is none. */
export const FAKED_CLOCK_REMEDY = "apt-get install libfaketime";

/** Null where the machine has no libfaketime. */
export function fakedClock(): FakedClock | null {
  const libraries = librariesOf("libfaketime.so.1", "faketime");
  const libc = librariesOf("libc.so.6", "");
  if (libraries === null || libc === null) return null;
  const folder = mkdtempSync(path.join(tmpdir(), "toolbus-clock-"));
  const file = path.join(folder, "shift");
  const clock: FakedClock = {
    env: {
      // The C library is named too: without it Redis' allocator asks for the time before libfaketime has found where to ask.
      LD_PRELOAD: `${libraries}:${libc}`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    set(ms) {
      // Read with every look at the clock, so never half written.
      writeFileSync(`${file}.new`, `${ms < 0 ? "-" : "+"}${Math.abs(Math.trunc(ms / 1000))}\n`);
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  clock.set(0);
  return clock;
}

/** A library of this machine's architecture, as Debian and its kin lay them. */
function librariesOf(name: string, folder: string): string | null {
  const roots = ["/usr/lib", "/lib"].filter((root) => existsSync(root));
  const triples = roots.flatMap((root) =>
    readdirSync(root)
      .filter((entry) => entry.endsWith("-linux-gnu"))
      .map((entry) => path.join(root, entry)),
  );
  return triples.map((triple) => path.join(triple, folder, name)).find((file) => existsSync(file)) ?? null;
}
