import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  type CompatibilityManifest,
  compatibilityManifest,
  describeProblems,
  incompatibilities,
  parseCompatibilityManifest,
} from "@toolbus/contracts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

export interface CheckUpgradeOptions {
  readonly from: string;
  readonly to?: string;
}

/** Says whether processes of two versions may run side by side. */
export async function checkUpgrade({ output, around }: Context, { from, to }: CheckUpgradeOptions): Promise<ExitCode> {
  const older = await readManifest(path.resolve(around.cwd, from));
  const newer = to === undefined ? compatibilityManifest() : await readManifest(path.resolve(around.cwd, to));
  const found = incompatibilities(older, newer);
  const changed = Object.keys(newer.forms).filter((name) => older.forms[name]?.version !== newer.forms[name]?.version);
  if (output.json) output.document({ ok: found.length === 0, incompatibilities: found, changed, unchecked: newer.unchecked });
  else if (found.length > 0) output.lines(found.map(({ sentence }) => safeText(sentence)));
  else
    output.lines(
      [
        "Processes of both versions may run side by side.",
        ...(changed.length === 0 ? [] : [`Changed, and read by both: ${changed.join(", ")}.`]),
      ].map(safeText),
    );
  return found.length === 0 ? EXIT.ok : EXIT.failed;
}

async function readManifest(file: string): Promise<CompatibilityManifest> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(EXIT.failed, `The manifest ${file} cannot be read (${error.code ?? "unknown"}): ${REMEDY}`);
  });
  const parsed = parseCompatibilityManifest(text);
  if (parsed.ok) return parsed.value;
  const [first] = parsed.problems;
  throw new Failure(EXIT.failed, `The file ${file} is not a compatibility manifest (${describeProblems(first ? [first] : [])}): ${REMEDY}`);
}

const REMEDY = 'name a file that "toolbus upgrade manifest --json" printed, or docs/compatibility.json of that version.';
