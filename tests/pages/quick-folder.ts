import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";
/** The size of a checkout and its page's output, with much to spare. */
const NEEDED_BYTES = 2 * 2 ** 30;

/** A folder in memory where this machine has room in one, else that for temporary files: a checkout has two thousand files, and a disk may take a millisecond for each. */
export function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > NEEDED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
