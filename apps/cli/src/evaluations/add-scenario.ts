import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { counted } from "@toolbus/contracts";
import { scenarioOfRecord, SuiteFault } from "@toolbus/evals";
import { newFile } from "../audit/new-file.ts";
import { readRecord } from "../replays/read-record.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { toolsOfThisBuild } from "./known-tools.ts";
import { suiteProfile } from "./suite-profile.ts";
import { missingTools } from "./suite-tools.ts";

export interface AddOptions {
  readonly suite: string;
  readonly id?: string;
  readonly file?: string;
  readonly golden?: boolean;
}

/**
 * Writes a run as a scenario into a suite's folder, with the profile and the definitions of tools that the suite lacks, and says what was masked. Begins
 * the suite if the folder has none.
 */
export async function addScenario(context: Context, typed: string | undefined, options: AddOptions): Promise<ExitCode> {
  const { output, around } = context;
  const { suite, id, file, golden } = options;
  if (id !== undefined && !ID.test(id))
    throw new Failure(EXIT.usage, `"${id.slice(0, 80)}" cannot be the id of a scenario: use a to z, 0 to 9 and hyphens, at most 64.`);
  const record = await readRecord(context, typed, file);
  const scenario = scenarioIn(record, { ...(id === undefined ? {} : { id }), golden: golden === true });
  const folder = path.resolve(around.cwd, suite);
  await makeFolder(path.join(folder, "scenarios"), suite);
  const begun = await beginSuite(folder, record.run.profile);
  const missing = await missingTools(folder, record, toolsOfThisBuild());
  const profile = await suiteProfile(folder, record);
  const name = path.join("scenarios", `${scenario.id}.yaml`);
  await newFile(path.join(folder, name), folder, (handle) => handle.writeFile(scenario.yaml));
  await missing?.write(around.newId);
  if (profile.kind === "missing") await profile.write(around.newId);
  const inSuite = (file: string): string => path.join(suite, path.relative(folder, file));
  const written = path.join(suite, name);
  const masked = sumOf(scenario.masked, profile.kind === "missing" ? profile.masked : new Map());
  if (output.json)
    output.document({
      runId: record.run.runId,
      id: scenario.id,
      file: written,
      begunSuite: begun,
      tools: missing?.names ?? [],
      profile: profile.kind === "missing" ? inSuite(profile.file) : null,
      masked,
    });
  else output.lines([`The run ${record.run.runId} is the scenario ${scenario.id} in ${written}.`]);
  if (begun) output.note(`The suite ${path.join(suite, "suite.yaml")} is new.`);
  if (missing) output.note(`The definitions of ${missing.names.join(", ")} are now in ${inSuite(missing.file)}.`);
  if (profile.kind === "missing") output.note(`The profile ${record.run.profile} of the run is now in ${inSuite(profile.file)}.`);
  if (profile.kind === "other") output.note(profile.note);
  for (const { kind, texts } of masked) output.note(`Masked: ${kind}, in ${counted(texts, "text")}.`);
  output.note("Names of people and free text are not masked. Read the file before you share it.");
  return EXIT.ok;
}

/** Adds up how many texts were masked of each kind. */
function sumOf(...all: readonly ReadonlyMap<string, number>[]): readonly { readonly kind: string; readonly texts: number }[] {
  const sums = new Map<string, number>();
  for (const [kind, texts] of all.flatMap((masked) => [...masked])) sums.set(kind, (sums.get(kind) ?? 0) + texts);
  return [...sums].map(([kind, texts]) => ({ kind, texts }));
}

function scenarioIn(...given: Parameters<typeof scenarioOfRecord>): ReturnType<typeof scenarioOfRecord> {
  try {
    return scenarioOfRecord(...given);
  } catch (error) {
    if (!(error instanceof SuiteFault)) throw error;
    throw new Failure(EXIT.failed, `${error.message.replace(/\.$/, "")}: leave --golden out.`, { cause: error });
  }
}

const ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

async function makeFolder(folder: string, suite: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new Failure(EXIT.failed, `The folder of the suite ${suite} cannot be made (${code}): choose another place.`);
  }
}

/** Returns true if the folder had no suite and has one now. */
async function beginSuite(folder: string, profile: string): Promise<boolean> {
  const name =
    path
      .basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, "-") || "suite";
  // JSON is YAML too. The profile comes from a record that may be somebody else's, so its text must not become fields.
  const lines = [
    `suite: ${name}`,
    "description: Recorded runs.",
    `profile: ${/^[a-z][a-z0-9-]*$/.test(profile) ? profile : JSON.stringify(profile)}`,
    "",
  ];
  try {
    await writeFile(path.join(folder, "suite.yaml"), lines.join("\n"), { flag: "wx" });
    return true;
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw new Failure(EXIT.failed, `The file suite.yaml cannot be written in ${folder} (${code}): choose another place.`);
  }
}
