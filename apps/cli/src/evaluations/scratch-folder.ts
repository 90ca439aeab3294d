import { existsSync } from "node:fs";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { tryLockDirectory } from "@toolbus/runtime";

/** A temporary folder of an evaluation, which this process has locked. */
export interface ScratchFolder {
  readonly path: string;
  /** Deletes the folder, and then releases its lock. */
  remove(): Promise<void>;
}

/**
 * Makes a temporary folder for an evaluation. First deletes the folders of evaluations that were killed. The lock of such a folder ended with its
 * process, so the folder of a running evaluation is never deleted, whatever its process id is.
 */
export async function scratchFolder(): Promise<ScratchFolder> {
  await removeLeftovers(os.tmpdir());
  const folder = await mkdtemp(path.join(os.tmpdir(), PREFIX));
  const lock = await tryLockDirectory(folder);
  // Another process looked at the folder at the only moment at which it had no lock yet, and deletes it.
  if (lock === null) return scratchFolder();
  return { path: folder, remove: () => removeLocked(folder, lock) };
}

const PREFIX = "toolbus-eval-";

async function removeLeftovers(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  // A folder that cannot be looked at or deleted is no reason to refuse an evaluation.
  for (const name of names.filter((one) => one.startsWith(PREFIX))) await removeLeftover(path.join(parent, name)).catch(() => undefined);
}

async function removeLeftover(folder: string): Promise<void> {
  const found = await lstat(folder);
  // Somebody else's folder may lead elsewhere with links. A folder without a lock is being made at this moment.
  if (!found.isDirectory() || found.uid !== process.getuid?.() || !existsSync(path.join(folder, "lock.db"))) return;
  const lock = await tryLockDirectory(folder);
  if (lock !== null) await removeLocked(folder, lock);
}

async function removeLocked(folder: string, lock: { release(): void }): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
