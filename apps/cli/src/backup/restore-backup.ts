import { existsSync } from "node:fs";
import { cp, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { copySqliteStore, lockSqliteStore } from "@toolbus/runtime";
import { heldWrites } from "../era/held-writes.ts";
import { type Raised, raiseAt, raisedDocument, raisedLines } from "../era/raise-era.ts";
import { stoppedSystem } from "../era/stopped-system.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { ABOUT, type AboutCopy, FOLDERS, STORE, storeDirectory } from "./copy.ts";

export interface RestoreOptions {
  readonly replace?: true;
}

/**
 * Restores a copy into the data directory of a Toolbus that is stopped. The era is raised in the restored store before it takes its place, so no
 * worker ever begins a write on a store that does not know about its loss. A restore that dies before its last two renames leaves the earlier store
 * where it was. Between the two, that store is beside its place, and a repeat of the command finishes.
 */
export async function restoreBackup(context: Context, typed: string, { replace }: RestoreOptions): Promise<ExitCode> {
  const { around, options, output } = context;
  const copy = path.resolve(around.cwd, typed);
  const about = await readAbout(copy, typed);
  const store = storeDirectory(around.env, options.dataDirectory, REDIS);
  using _lock = await lockOf(store, replace === true);
  await installFolders(copy, options.dataDirectory);
  const draft = `${store}.restoring`;
  const raised = await restoredInto(draft, copy, context, about);
  const kept = existsSync(store) ? `${store}.before-${new Date(around.now()).toISOString().replaceAll(":", "")}` : null;
  if (kept !== null) await rename(store, kept);
  await rename(draft, store);
  if (output.json) output.document({ store, copiedAt: about.copiedAt, kept, ...raisedDocument(raised) });
  else output.lines([...restoredLines(store, about, kept), "", ...raisedLines(context, raised)]);
  return EXIT.ok;
}

const REDIS =
  'Restore a Redis with its own file, and then run "toolbus era raise --hold --stopped" before the services start: docs/backup.md says how.';

async function readAbout(copy: string, typed: string): Promise<Pick<AboutCopy, "copiedAt">> {
  const text = await readFile(path.join(copy, ABOUT), "utf8").catch(() => "");
  const copiedAt = /"copiedAt":\s*(\d{13})\b/.exec(text)?.[1];
  if (copiedAt === undefined)
    throw new Failure(EXIT.usage, `${typed} is not a complete copy that "toolbus backup" made (${ABOUT}): name the folder of one.`);
  return { copiedAt: Number(copiedAt) };
}

/** Locks the store that is there now, so that no Toolbus runs or starts on it. Throws if one runs, or if the store must not be replaced. */
async function lockOf(store: string, replace: boolean): Promise<Disposable> {
  if (!existsSync(store)) return { [Symbol.dispose]: () => undefined };
  const lock = await lockSqliteStore(store);
  if (replace) return { [Symbol.dispose]: () => lock.release() };
  lock.release();
  throw new Failure(
    EXIT.failed,
    `${store} has a store, and was left as it is: give --replace to put it aside, or another data directory with --data.`,
  );
}

/** Copies the folders that the data directory does not have. Keys that are there stay, because a key may have been revoked after the copy. */
async function installFolders(copy: string, dataDirectory: string): Promise<void> {
  await checkSeals(copy, dataDirectory);
  for (const name of FOLDERS) {
    const [from, to] = [path.join(copy, name), path.join(dataDirectory, name)];
    if (!existsSync(from) || existsSync(to)) continue;
    // A folder that is complete appears at once, so that a restore that dies leaves no half of the keys.
    await rm(`${to}.restoring`, { recursive: true, force: true });
    await cp(from, `${to}.restoring`, { recursive: true });
    await rename(`${to}.restoring`, to);
  }
}

/** Throws if approvals could not read its documents in the copy, because the data directory has other keys. */
async function checkSeals(copy: string, dataDirectory: string): Promise<void> {
  const [copied, here] = await Promise.all([copy, dataDirectory].map(sealIds));
  if (!copied || !here || here.length === 0 || copied.every((kid) => here.includes(kid))) return;
  throw new Failure(
    EXIT.failed,
    `${path.join(dataDirectory, "keys")} has other seal keys than the copy, so approvals could not use what it restores: move that folder away to restore the keys too.`,
  );
}

async function sealIds(directory: string): Promise<readonly string[]> {
  const text = await readFile(path.join(directory, "keys", "approvals-seal-keys.json"), "utf8").catch(() => "");
  return [...text.matchAll(/"kid":\s*"([^"]+)"/g)].map(([, kid = ""]) => kid);
}

/** Copies the store into the draft and raises the era there. If that fails, leaves no draft. */
async function restoredInto(draft: string, copy: string, context: Context, { copiedAt }: Pick<AboutCopy, "copiedAt">): Promise<Raised> {
  await rm(draft, { recursive: true, force: true });
  try {
    await copySqliteStore({ from: path.join(copy, STORE), to: draft });
    return await raiseIn(draft, context, `restored the copy of ${new Date(copiedAt).toISOString()}`);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function raiseIn(directory: string, context: Context, reason: string): Promise<Raised> {
  const around = { ...context.around, env: { ...context.around.env, STATE_URL: `sqlite:${directory}` } };
  await using system = await stoppedSystem({ around, signal: context.signal }, context.options.dataDirectory);
  const era = await raiseAt(system, { reason, hold: true });
  // The services may stop only after the answer.
  const held = await heldWrites(system, era, context.around.now());
  return { era, held };
}

function restoredLines(store: string, { copiedAt }: Pick<AboutCopy, "copiedAt">, kept: string | null): string[] {
  return [
    safeText(`${store} is the copy of ${new Date(copiedAt).toISOString()}. Everything after that time is lost.`),
    ...(kept === null ? [] : [safeText(`The earlier store is in ${kept}.`)]),
    `Nothing has begun yet. Start Toolbus, look at the writes below, and list them again with: ${SELF} era held`,
  ];
}
