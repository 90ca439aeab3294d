import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { copySqliteStore } from "@toolbus/runtime";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { refuseFull } from "../toolbus/refuse-full.ts";
import { SELF } from "../toolbus/self.ts";
import { ABOUT, type AboutCopy, FOLDERS, STORE, storeDirectory } from "./copy.ts";

/** Copies the SQLite store and the keys of a Toolbus, which may run meanwhile, into a new folder. If it fails, it leaves nothing behind. */
export async function makeBackup({ around, options, output }: Context, typed: string): Promise<ExitCode> {
  const { dataDirectory } = options;
  const from = storeDirectory(around.env, dataDirectory, REDIS);
  if (!existsSync(from))
    throw new Failure(EXIT.failed, `There is no SQLite store at ${from}: name the data directory with --data. ${REDIS}`);
  const folder = path.resolve(around.cwd, typed);
  await refuseFull(folder);
  const about: AboutCopy = { copiedAt: around.now(), from: dataDirectory };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The keys are copied first. A key that is made later is not used in the copy of the store.
    const folders = FOLDERS.filter((name) => existsSync(path.join(dataDirectory, name)));
    for (const name of folders) await cp(path.join(dataDirectory, name), path.join(folder, name), { recursive: true });
    await copySqliteStore({ from, to: path.join(folder, STORE) });
    await writeFile(path.join(folder, ABOUT), `${JSON.stringify(about)}\n`, { mode: 0o600 });
    if (output.json) output.document({ folder, ...about, parts: [STORE, ...folders] });
    else
      output.lines([
        safeText(`The copy is in ${folder}: the store, checked, and ${folders.join(" and ") || "no keys"}.`),
        `To restore it: ${SELF} restore ${typed}`,
      ]);
    return EXIT.ok;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw withRemedy(error, folder);
  }
}

const REDIS = 'Copy a Redis with "redis-cli --rdb FILE", and the keys of the services beside it: docs/backup.md says how.';

function withRemedy(error: unknown, folder: string): unknown {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  return code === null || !/^E[A-Z]+$/.test(code)
    ? error
    : new Failure(EXIT.failed, `The copy cannot be written to ${folder} (${code}): make room, or name another folder.`, { cause: error });
}
