import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** What the demo was doing: kept beside its data, so that the same command carries on after any kind of stop. */
export interface Undertaking {
  /** The `Idempotency-Key` of the investigation. */
  readonly key: string;
  /** What is investigated; another release is another undertaking. */
  readonly subject: string;
  readonly ended: boolean;
}

/** The undertaking to continue, or a new one. It is on disk before anything is asked for. */
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
    // Nothing to continue: a new investigation is what is wanted.
    return null;
  }
}

async function write(directory: string, undertaking: Undertaking): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${fileIn(directory)}.draft`;
  await writeFile(draft, JSON.stringify(undertaking));
  await rename(draft, fileIn(directory));
}
