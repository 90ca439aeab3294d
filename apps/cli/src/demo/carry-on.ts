import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * An investigation that the demo has begun and that has not ended. The demo stores this record next to its data, so that the same command continues the
 * investigation after any kind of stop.
 */
export interface Undertaking {
  /** The `Idempotency-Key` of the investigation. */
  readonly key: string;
  /** The subject of the investigation. Another release is another task. */
  readonly subject: string;
}

/**
 * Returns the task to continue, or a new one. It writes a new task to disk before the demo sends a request. The tasks of other releases stay, so that
 * each of them can be continued.
 */
export async function takeUp(directory: string, subject: string): Promise<{ undertaking: Undertaking; carriedOn: boolean }> {
  const open = await read(directory);
  const found = open.find((one) => one.subject === subject);
  if (found) return { undertaking: found, carriedOn: true };
  const undertaking: Undertaking = { key: randomUUID(), subject };
  await write(directory, [...open, undertaking].slice(-MOST));
  return { undertaking, carriedOn: false };
}

/** Forgets a task that has ended. */
export async function finish(directory: string, { key }: Undertaking): Promise<void> {
  await write(
    directory,
    (await read(directory)).filter((one) => one.key !== key),
  );
}

/** The most tasks that are remembered. Their approvals expire long before the oldest is forgotten. */
const MOST = 50;

const fileIn = (directory: string): string => path.join(directory, "demo.json");

async function read(directory: string): Promise<readonly Undertaking[]> {
  try {
    const { open } = JSON.parse(await readFile(fileIn(directory), "utf8")) as { readonly open?: readonly Partial<Undertaking>[] };
    return (open ?? []).flatMap(({ key, subject }) => (typeof key === "string" && typeof subject === "string" ? [{ key, subject }] : []));
  } catch {
    // There is no task to continue, so the demo starts a new investigation.
    return [];
  }
}

async function write(directory: string, open: readonly Undertaking[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${fileIn(directory)}.draft`;
  await writeFile(draft, JSON.stringify({ open }));
  await rename(draft, fileIn(directory));
}
