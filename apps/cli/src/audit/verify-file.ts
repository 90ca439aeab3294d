import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { type CheckpointView, counted, parseCheckpoint, type PublicJwk } from "@toolbus/contracts";
import { type FileVerdict, KeyRefused, MAX_EVIDENCE_BYTES, trustedRoots, verifyAudit, verifyEvidence } from "@toolbus/grants";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

export interface VerifyOptions {
  readonly keys?: string;
  readonly checkpoint?: string;
}

/**
 * Checks an evidence file or an export of the audit without any service. Returns exit code 0 if the file is intact. Otherwise it names the broken
 * link.
 */
export async function verifyFile(context: Context, file: string, { keys, checkpoint }: VerifyOptions): Promise<ExitCode> {
  const { output, around } = context;
  const trusted = keys === undefined ? null : rootsIn(await textOf(keys, around.cwd), keys);
  const kept = checkpoint === undefined ? null : keptIn(await textOf(checkpoint, around.cwd), checkpoint);
  const verdict = await judge(path.resolve(around.cwd, file), file, { trusted, kept });
  const whole = verdict.broken === null;
  if (output.json) output.document({ file, whole, ...verdict });
  else output.lines(linesOf(file, verdict));
  return whole ? EXIT.ok : EXIT.failed;
}

async function judge(
  place: string,
  file: string,
  { trusted, kept }: { readonly trusted: readonly PublicJwk[] | null; readonly kept: CheckpointView | null },
): Promise<FileVerdict> {
  if ((await sizeOf(place, file)) <= MAX_EVIDENCE_BYTES) {
    const text = decoded(await readFile(place));
    if (text === null) return notText();
    // An export begins with a header line, but an evidence file has only one line without a line feed.
    if (!text.includes("\n")) return kept ? notAnExport() : verifyEvidence(text, { trusted });
    return verifyAudit(linesIn(text), { trusted, kept });
  }
  return verifyAudit(linesOfFile(place), { trusted, kept });
}

async function sizeOf(place: string, file: string): Promise<number> {
  try {
    const { size } = await stat(place);
    return size;
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function textOf(file: string, folder: string): Promise<string> {
  try {
    return await readFile(path.resolve(folder, file), "utf8");
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): Failure {
  return new Failure(EXIT.usage, `The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}).`);
}

function rootsIn(text: string, file: string): readonly PublicJwk[] {
  try {
    return trustedRoots(text, file);
  } catch (error) {
    throw error instanceof KeyRefused ? new Failure(EXIT.usage, error.message) : error;
  }
}

function keptIn(text: string, file: string): CheckpointView {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const parsed = parseCheckpoint(value);
  if (parsed.ok) return parsed.value;
  throw new Failure(EXIT.usage, `The file ${file} is no checkpoint: "toolbus audit checkpoint" prints one.`);
}

/** Yields the lines of an export. Every line must end in a line feed, so that a truncated file is noticed. */
function* linesIn(text: string): Generator<string, void> {
  const lines = text.split("\n");
  const last = lines.pop();
  yield* lines;
  if (last !== undefined && last !== "") yield `${last} `;
}

async function* linesOfFile(place: string): AsyncGenerator<string, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(place) as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
      yield decoded(rest.subarray(from, end)) ?? "not UTF-8";
      from = end + 1;
    }
    rest = rest.subarray(from);
    if (rest.length > MAX_EVIDENCE_BYTES) yield "a line that is too long";
  }
  if (rest.length > 0) yield "a line without an end";
}

/** Returns the text of these bytes, or null if they are not UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function notText(): FileVerdict {
  return { ...NOTHING, broken: "The file is not UTF-8, so a byte of it was changed." };
}

function notAnExport(): FileVerdict {
  return { ...NOTHING, broken: "The file is not an export of the audit, so no checkpoint belongs to it." };
}

const NOTHING = { kind: "evidence", checked: [], keysFromFile: [], unattested: [], missing: [] } as const;

function linesOf(file: string, { broken, checked, keysFromFile, unattested, missing }: FileVerdict): readonly string[] {
  return [
    ...checked.map((sentence) => `ok       ${sentence}`),
    ...(broken === null ? [] : [`broken   ${broken}`]),
    ...missing.map((part) => `missing  ${part}`),
    ...(unattested.length === 0
      ? []
      : [`unattested  ${unattested.slice(0, 10).join("; ")}${unattested.length > 10 ? ` and ${unattested.length - 10} more` : ""}`]),
    ...(keysFromFile.length === 0
      ? []
      : [
          `keys     The file itself gave ${counted(keysFromFile.length, "key")} (${keysFromFile.join(", ")}).`,
          "         So this proves only that the file is whole under these keys: compare their ids, or give --keys.",
        ]),
    broken === null ? `${file} is whole.` : `${file} is not whole.`,
  ];
}
