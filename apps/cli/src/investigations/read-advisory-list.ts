import { type Advisory, type AdvisorySubjects, readAdvisories } from "@toolbus/release-facts";
import type { Sink } from "../terminal/output.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

interface ListOptions {
  readonly place: string;
  /** The path as the person typed it. */
  readonly typed: string;
  readonly signal: AbortSignal;
  readonly err: Sink;
  readonly quiet: boolean;
  readonly now: () => number;
}

/** A shorter wait needs no explanation. */
const PATIENCE_MS = 2000;
const BETWEEN_MS = 200;

/**
 * Returns a function that reads the advisories about a release from a file or a folder, which may be a whole database. A terminal shows how far it is if that
 * takes long. Throws a Failure if one file cannot be read.
 */
export function advisoryList({ place, typed, signal, err, quiet, now }: ListOptions) {
  return async (about: AdvisorySubjects): Promise<readonly Advisory[]> => {
    let shownAt = now() + PATIENCE_MS - BETWEEN_MS;
    let isShown = false;
    const onProgress = (read: number, all: number): void => {
      if (quiet || err.isTTY !== true || now() - shownAt < BETWEEN_MS) return;
      shownAt = now();
      isShown = true;
      err.write(`\r\u001b[KReading advisories: ${Math.floor((read / all) * 100)} % of ${all} files`);
    };
    const read = await readAdvisories(place, signal, { about, onProgress }).finally(() => {
      if (isShown) err.write("\r\u001b[K");
    });
    if (!read.ok) throw new Failure(EXIT.usage, `--advisories ${typed}: ${read.message}`);
    return read.advisories;
  };
}
