import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import { serviceKeyFiles } from "@toolbus/runtime";
import { isLoopback } from "../http/unreachable.ts";
import type { Context } from "../toolbus/context.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, fail, ok, warn } from "./check.ts";

const WANTED_NODE = 24;

/** Checks the version of Node that runs this command. */
export function checkNode(version: string): Check {
  const major = Number(/^v?(\d+)/.exec(version)?.[1] ?? 0);
  if (major >= WANTED_NODE) return ok("node", `Node ${version}`);
  return fail("node", `This is Node ${version}, and Toolbus needs ${WANTED_NODE}.`, `Install Node ${WANTED_NODE} from https://nodejs.org.`);
}

/** Checks the folder in which a local Toolbus stores its data. */
export async function checkDataDirectory({ options }: Pick<Context, "options">): Promise<Check> {
  const { dataDirectory, url } = options;
  const name = "data directory";
  if (!isLoopback(url)) return ok(name, `not checked: ${url} is another machine`);
  const found = await stat(dataDirectory).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    if (found.code === "ENOENT") {
      return warn(
        name,
        `There is no data directory at ${dataDirectory}.`,
        `"${SELF} start" creates it; to check a Toolbus that was started elsewhere, name its directory with --data.`,
      );
    }
    return fail(
      name,
      `${dataDirectory} cannot be read (${found.code ?? "unknown"}).`,
      "Fix its permissions, or name another directory with --data.",
    );
  }
  if (!found.isDirectory()) return fail(name, `${dataDirectory} is not a folder.`, "Name a folder with --data or DATA_DIR.");
  try {
    await access(dataDirectory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(name, `This user cannot write to ${dataDirectory}.`, "Fix its permissions: state and keys are kept there.");
  }
  return checkRights(name, dataDirectory);
}

async function checkRights(name: string, dataDirectory: string): Promise<Check> {
  const keys = await stat(path.join(dataDirectory, "keys")).catch(() => null);
  if (keys && process.platform !== "win32" && (keys.mode & 0o077) !== 0) {
    return warn(name, `Other users of this machine can read ${path.join(dataDirectory, "keys")}.`, "chmod 700 it.");
  }
  return ok(name, dataDirectory);
}

/** Checks whether a local Toolbus has the keys with which its services sign and seal. Returns null if no Toolbus has stored data here. */
export async function checkKeyFiles({ options }: Pick<Context, "options">): Promise<Check | null> {
  const directory = path.join(options.dataDirectory, "keys");
  if (!isLoopback(options.url) || !(await isThere(directory))) return null;
  const { gateway, agent, approvals, seals, receipts, trusted } = serviceKeyFiles(directory);
  const wanted = [gateway, agent, approvals, seals, receipts, trusted];
  const found = await Promise.all(wanted.map(isThere));
  const missing = wanted.filter((_, n) => !found[n]).map((file) => path.basename(file));
  if (missing.length === 0) return ok("service keys", "all there");
  return warn(
    "service keys",
    `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not in ${directory}.`,
    `"${SELF} keys" makes new ones; if services already run, restore theirs: documents sealed with lost keys no longer count.`,
  );
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
