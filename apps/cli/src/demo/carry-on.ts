import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * The investigation that the demo has begun. The demo stores this record next to its data, so that the same command continues the investigation after
 * any kind of stop.
 */
export interface Undertaking {
  /** The `Idempotency-Key` of the investigation. */
  readonly key: string;
  /** The subject of the investigation. Another release is another task. */
  readonly subject: string;
  readonly ended: boolean;
}

/** Returns the task to continue, or a new one. It writes a new task to disk before the demo sends a request. */
export async function takeUp(directory: string, subject: string): Promise<{ undertaking: Undertaking; carriedOn: boolean }> {
  const found = await read(directory);
  if (found && found.subject === subject && !found.ended) return { undertaking: found, carriedOn: true };
  const undertaking: Undertaking = { key: randomUUID(), subject, ended: false };
  await write(directory, undertaking);
  return { undertaking, carriedOn: false };
}

export async function finish(directory: string, undertaking: Undertaking): Promise<void> {
  await write(directory, { ...undertaking, ended: true });
}

const fileIn = (directory: string): string => path.join(directory, "demo.json");

async function read(directory: string): Promise<Undertaking | null> {
  try {
    const value = JSON.parse(await readFile(fileIn(directory), "utf8")) as Partial<Undertaking>;
    const { key, subject, ended } = value;
    return typeof key === "string" && typeof subject === "string" && typeof ended === "boolean" ? { key, subject, ended } : null;
  } catch {
    // There is no task to continue, so the demo starts a new investigation.
    return null;
  }
}

async function write(directory: string, undertaking: Undertaking): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${fileIn(directory)}.draft`;
  await writeFile(draft, JSON.stringify(undertaking));
  await rename(draft, fileIn(directory));
}
