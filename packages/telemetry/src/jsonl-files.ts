import { open } from "node:fs/promises";

/** Appends lines to files in the background, whole lines in the order they came. */
export interface JsonlFiles {
  /** Never waits and never throws. */
  append(file: string, line: string): void;
  /** Waits until everything that was appended is written. */
  flush(): Promise<void>;
}

export interface JsonlOptions {
  /** What was not written, because the disk does not take it or because it takes it too slowly. */
  readonly onLost: (lines: number, code: string) => void;
}

const MAX_WAITING = 10_000;

/**
 * One file is open at a time and only while it is written to, so that a folder may hold any number of them and a rotated file is released. Lines that
 * come during a write go with the next one. When more than 10,000 wait, further ones are lost and reported.
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
    // What else comes at this moment goes into the first write.
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
