import { createHash } from "node:crypto";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { isJsonObject, type Json } from "@toolbus/contracts";
import type { Trial } from "../result/trial.ts";
import type { Checked } from "../scenario/checked-file.ts";
import type { Suite } from "../scenario/scenario.ts";
import type { Variant } from "./scenario-host.ts";

/** What an evaluation is about. A journal of another one cannot be continued. */
export interface JournalHead {
  readonly suite: string;
  readonly suiteHash: string;
  /** The hash of each variant by its name. */
  readonly variants: Readonly<Record<string, string>>;
  readonly repeats: number;
  /** ISO 8601, UTC. The time of the first start. */
  readonly startedAt: string;
}

/**
 * The trials of an evaluation that have finished, one a line, in a file. An evaluation that is killed goes on from it. A line is on the disk before its
 * trial counts as finished.
 */
export interface Journal {
  readonly head: JournalHead;
  /** The trials of the file, as they were when it was opened. */
  readonly trials: readonly Trial[];
  /** What was evaluated, by variant, as far as the file knows. */
  readonly models: Readonly<Record<string, string>>;
  addTrial(trial: Trial): Promise<void>;
  addModel(variant: string, model: string): Promise<void>;
  close(): Promise<void>;
  /** Closes and deletes the file, because the evaluation is complete. */
  remove(): Promise<void>;
}

/** Returns the head of the journal of an evaluation that starts now. */
export function journalHead(
  suite: Pick<Suite, "name" | "hash">,
  { variants, repeats, startedAt }: { readonly variants: readonly Variant[]; readonly repeats: number; readonly startedAt: string },
): JournalHead {
  return {
    suite: suite.name,
    suiteHash: suite.hash,
    variants: Object.fromEntries(variants.map((variant) => [variant.name, hashOf(variant)])),
    repeats,
    startedAt,
  };
}

/**
 * Opens the journal in this file, and begins one if there is none or if it is empty. `fresh` begins a new one in any case. Returns one sentence with
 * the remedy if the file has something else, or finished trials of another evaluation.
 */
export async function openJournal(file: string, wanted: JournalHead, fresh: boolean): Promise<Checked<Journal>> {
  await mkdir(path.dirname(file), { recursive: true });
  if (fresh) await rm(file, { force: true });
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  // A process that was killed while it wrote leaves a line without an end. The trial of this line is run again.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const read = readLines(whole, file);
  if (!read.ok) return read;
  const other = read.value.head && difference(read.value.head, wanted);
  // An evaluation that ended before its first trial, such as one with a broken profile, has nothing that could be lost.
  if (other && read.value.trials.every(({ status }) => status === "error")) return openJournal(file, wanted, true);
  if (other) return { ok: false, problem: `The journal ${file} is of another evaluation (${other}): ${REMEDY}` };
  const handle = await open(file, "a");
  if (whole.length < text.length) await handle.truncate(Buffer.byteLength(whole));
  let last: Promise<void> = Promise.resolve();
  const add = (line: Json | object): Promise<void> =>
    (last = last.then(async () => {
      await handle.appendFile(`${JSON.stringify(line)}\n`);
      await handle.datasync();
    }));
  if (!read.value.head) await add({ head: wanted });
  const closed = async (): Promise<void> => {
    await last.catch(() => undefined);
    await handle.close();
  };
  return {
    ok: true,
    value: {
      head: read.value.head ?? wanted,
      trials: read.value.trials,
      models: read.value.models,
      addTrial: (trial) => add({ trial }),
      addModel: (variant, model) => add({ model: { variant, model } }),
      close: closed,
      async remove() {
        await closed();
        await rm(file, { force: true });
      },
    },
  };
}

/** The remedy for every journal that cannot be continued. */
export const REMEDY = "begin again with --fresh, which deletes it, or name another folder with --out.";

interface Lines {
  readonly head: JournalHead | null;
  readonly trials: readonly Trial[];
  readonly models: Readonly<Record<string, string>>;
}

function readLines(text: string, file: string): Checked<Lines> {
  let head: JournalHead | null = null;
  const trials: Trial[] = [];
  const models: Record<string, string> = {};
  for (const [n, line] of text.split("\n").slice(0, -1).entries()) {
    const value = parsed(line);
    if (n === 0 && isHead(value["head"])) head = value["head"];
    else if (n > 0 && isTrial(value["trial"])) trials.push(value["trial"]);
    else if (n > 0 && isModel(value["model"])) models[value["model"].variant] = value["model"].model;
    else return { ok: false, problem: `Line ${n + 1} of the journal ${file} cannot be read: ${REMEDY}` };
  }
  return { ok: true, value: { head, trials, models } };
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: Json = JSON.parse(line);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isHead(value: unknown): value is JournalHead {
  return hasTexts(value, ["suite", "suiteHash", "startedAt"]) && typeof value["repeats"] === "number" && isObject(value["variants"]);
}

function isTrial(value: unknown): value is Trial {
  if (!hasTexts(value, ["scenario", "variant", "status"])) return false;
  return typeof value["repeat"] === "number" && Array.isArray(value["scores"]) && isObject(value["usage"]);
}

function isModel(value: unknown): value is { readonly variant: string; readonly model: string } {
  return hasTexts(value, ["variant", "model"]);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

function hasTexts(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isObject(value) && names.every((name) => typeof value[name] === "string");
}

function difference(found: JournalHead, wanted: JournalHead): string | null {
  if (found.suite !== wanted.suite) return `of the suite ${found.suite.slice(0, 100)}`;
  if (found.suiteHash !== wanted.suiteHash) return "its scenarios have changed since, or others were chosen";
  if (hashOf(sorted(found.variants)) !== hashOf(sorted(wanted.variants))) return "its variants are others";
  if (found.repeats !== wanted.repeats) return `it has ${found.repeats} repeats, and ${wanted.repeats} are wanted`;
  return null;
}

const sorted = (variants: JournalHead["variants"]): object => Object.entries(variants).toSorted(([a], [b]) => (a < b ? -1 : 1));

function hashOf(value: object): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
