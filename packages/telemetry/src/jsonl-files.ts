import { open } from "node:fs/promises";

/** Appends lines to files in the background. It writes whole lines, in the order of the calls. */
export interface JsonlFiles {
  /** Queues a line. Never waits and never throws. */
  append(file: string, line: string): void;
  /** Waits until all appended lines are written. */
  flush(): Promise<void>;
}

export interface JsonlOptions {
  /** Receives the number of lines that were lost because the disk rejects them or is too slow. */
  readonly onLost: (lines: number, code: string) => void;
}

const MAX_WAITING = 10_000;

/**
 * Writes one file at a time, and opens it only during a write. So a folder may contain any number of files, and a rotated file is released. Lines
 * that arrive during a write are written next. If more than 10,000 lines wait, further ones are lost and reported.
 */
export function jsonlFiles({ onLost }: JsonlOptions): JsonlFiles {
  const waiting = new Map<string, string[]>();
  let count = 0;
  let writing: Promise<void> | null = null;
  return {
    append(file, line) {
      if (count >= MAX_WAITING) return onLost(1, "too_many");
      count++;
      const lines = waiting.get(file);
      if (lines) lines.push(line);
      else waiting.set(file, [line]);
      writing ??= writeAll();
    },
    async flush() {
      await writing;
    },
  };

  async function writeAll(): Promise<void> {
    // The first write includes all lines that are appended in the same tick.
    await Promise.resolve();
    for (let next = waiting.entries().next().value; next; next = waiting.entries().next().value) {
      const [file, lines] = next;
      waiting.delete(file);
      count -= lines.length;
      try {
        await writeTo(file, `${lines.join("\n")}\n`);
      } catch (error) {
        onLost(lines.length, (error as NodeJS.ErrnoException).code ?? "unknown");
      }
    }
    writing = null;
  }
}

async function writeTo(file: string, text: string): Promise<void> {
  const handle = await open(file, "a", 0o600);
  try {
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}
