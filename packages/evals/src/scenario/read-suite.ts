import { createHash } from "node:crypto";
import path from "node:path";
import { counted, type Json, type JsonObject, type Parsed, parser, Type } from "@toolbus/contracts";
import { readYaml } from "@toolbus/runtime/yaml-text";
import { type Checked, checkedFile, type NamedText } from "./checked-file.ts";
import { fixtureFaults, scenarioFaults } from "./scenario-faults.ts";
import { fixturesOf, scenarioOf } from "./scenario-of.ts";
import type { JudgeSettings, Scenario, Suite } from "./scenario.ts";
import { parseScenarioFile, parseSuiteFile, type ScenarioFile, type SuiteFile } from "./suite-file.ts";
import { isFolder, refuseOutside, rootOf, SuiteFault, textAt, textsIn } from "./suite-texts.ts";

const parseTools = parser(Type.Array(Type.Unsafe<JsonObject>({ type: "object", required: ["name"] }), { minItems: 1, maxItems: 500 }));

/**
 * Reads a suite with every file that it names. `place` is a folder with `suite.yaml`, or a YAML file. `knownTools` are the tools that need no
 * definition in the suite. A scenario that names another tool is a fault.
 */
export async function readSuite(place: string, knownTools: ReadonlySet<string>): Promise<Checked<Suite>> {
  try {
    return { ok: true, value: await suiteAt(place, knownTools) };
  } catch (error) {
    if (error instanceof SuiteFault) return { ok: false, problem: error.message };
    throw error;
  }
}

async function suiteAt(place: string, knownTools: ReadonlySet<string>): Promise<Suite> {
  const file = (await isFolder(place)) ? path.join(place, "suite.yaml") : place;
  const folder = path.dirname(file);
  const root = await rootOf(folder);
  const suite = valueOf(
    checkedFile(await textAt(file), parseSuiteFile, ({ fixtures = {}, scenarios = [] }) => [
      ...fixtureFaults(fixtures, "/fixtures"),
      ...scenarios.flatMap((one, n) => scenarioFaults(one).map((fault) => ({ ...fault, path: `/scenarios/${n}${fault.path}` }))),
    ]),
  );
  const contents = new Map<string, Json>();
  const fileOf = (from: string) => (name: string) => contents.get(path.resolve(path.dirname(from), name)) ?? null;
  await readInto(contents, { from: file, root }, suite.fixtures);
  const defaults = fixturesOf(suite.fixtures ?? {}, fileOf(file));
  const found = [
    ...(suite.scenarios ?? []).map((scenario) => ({ scenario, file })),
    ...(await scenariosIn(path.join(folder, "scenarios"), root)),
  ];
  if (found.length === 0)
    throw new SuiteFault(
      `The suite ${suite.suite} has no scenarios: add a file to ${path.join(folder, "scenarios")}, or a list "scenarios" to ${file}.`,
    );
  const scenarios: Scenario[] = [];
  for (const { scenario, file: from } of found) {
    await readInto(contents, { from, root }, scenario.fixtures);
    scenarios.push(scenarioOf(scenario, suite, fixturesOf(scenario.fixtures ?? {}, fileOf(from)), defaults));
  }
  refuseTwins(scenarios);
  const tools = suite.tools === undefined ? [] : await toolsIn(path.resolve(folder, suite.tools), root);
  refuseUnknownTools(scenarios, new Set([...knownTools, ...tools.map(nameOf)]));
  const judge = judgeOf(suite, folder);
  if (judge?.labels !== undefined) await refuseOutside(judge.labels, root);
  const profiles = suite.profiles === undefined ? null : path.resolve(folder, suite.profiles);
  const profileTexts = profiles === null ? [] : await textsIn(profiles, root);
  const policy = suite.policy === undefined ? null : await textAt(path.resolve(folder, suite.policy), root);
  const agentHash = hashOf(JSON.stringify([tools, profileTexts.map(({ text }) => text), ...(policy === null ? [] : [policy.text])]));
  const scenarioHashes = Object.fromEntries(scenarios.map((scenario) => [scenario.id, hashOf(FORM, JSON.stringify(scenario))]));
  return {
    name: suite.suite,
    description: suite.description ?? "",
    profilesFolder: profiles,
    policyFile: policy?.file ?? null,
    tools,
    repeats: suite.repeats ?? 1,
    judge,
    scenarios,
    hash: hashOf(agentHash, ...Object.values(scenarioHashes)),
    agentHash,
    scenarioHashes,
  };
}

/** Stands where the tools and the profiles of a suite once were, so that the baselines of suites without them stay valid. */
const FORM = "[[],[]]";

function judgeOf({ judge }: SuiteFile, folder: string): JudgeSettings | null {
  if (!judge) return null;
  const { votes = 3, labels, ...model } = judge;
  return { votes, ...model, ...(labels === undefined ? {} : { labels: path.resolve(folder, labels) }) };
}

async function scenariosIn(folder: string, root: string): Promise<readonly { readonly scenario: ScenarioFile; readonly file: string }[]> {
  if (!(await isFolder(folder))) return [];
  const texts = await textsIn(folder, root);
  return texts.flatMap((named) => scenariosOf(named).map((scenario) => ({ scenario, file: named.file })));
}

/** Returns the scenarios of a file, which has one or a list of them. */
function scenariosOf(named: NamedText): readonly ScenarioFile[] {
  const read = readYaml(named.text);
  if (!read.ok || !Array.isArray(read.value)) return [valueOf(checkedFile(named, parseScenarioFile, scenarioFaults))];
  return valueOf(
    checkedFile(named, listOf(parseScenarioFile), (list) =>
      list.flatMap((one, n) => scenarioFaults(one).map((fault) => ({ ...fault, path: `/${n}${fault.path}` }))),
    ),
  );
}

function listOf<T>(parse: (value: unknown) => Parsed<T>): (value: unknown) => Parsed<readonly T[]> {
  return (value) => {
    const parsed = (value as readonly unknown[]).map(parse);
    const problems = parsed.flatMap((one, n) => (one.ok ? [] : one.problems.map((fault) => ({ ...fault, path: `/${n}${fault.path}` }))));
    return problems.length > 0 ? { ok: false, problems } : { ok: true, value: parsed.flatMap((one) => (one.ok ? [one.value] : [])) };
  };
}

async function toolsIn(file: string, root: string): Promise<readonly JsonObject[]> {
  return valueOf(checkedFile(await textAt(file, root), parseTools));
}

/** Reads the files that fixtures name. */
async function readInto(
  contents: Map<string, Json>,
  { from, root }: { readonly from: string; readonly root: string },
  fixtures: ScenarioFile["fixtures"] = {},
): Promise<void> {
  for (const { file } of Object.values(fixtures).flat()) {
    if (file === undefined) continue;
    const full = path.resolve(path.dirname(from), file);
    if (!contents.has(full)) contents.set(full, jsonIn(await textAt(full, root)));
  }
}

function jsonIn({ file, text }: NamedText): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new SuiteFault(`${file} is not JSON: a fixture's file has the result of a tool as JSON.`);
  }
}

function refuseTwins(scenarios: readonly Scenario[]): void {
  const ids = scenarios.map(({ id }) => id);
  const twin = ids.find((id, n) => ids.indexOf(id) < n);
  if (twin !== undefined) throw new SuiteFault(`Two scenarios have the id ${twin}: rename one of them.`);
}

function refuseUnknownTools(scenarios: readonly Scenario[], known: ReadonlySet<string>): void {
  for (const { id, fixtures, approvals, turns, expect } of scenarios) {
    const named = [
      ...Object.keys(fixtures),
      ...Object.keys(approvals),
      ...(turns ?? []).flatMap(({ calls }) => calls.map(({ tool }) => tool)),
      ...(expect.tools?.called ?? []).map(({ tool }) => tool),
      ...(expect.tools?.order ?? []),
      ...(expect.approvals ?? []).map(({ tool }) => tool),
    ];
    const unknown = [...new Set(named.filter((tool) => !known.has(tool)))];
    if (unknown.length > 0)
      throw new SuiteFault(
        `The scenario ${id} names ${counted(unknown.length, "unknown tool")} (${unknown.join(", ")}): correct the name, or add the definition to the file "tools" of the suite.`,
      );
  }
}

function valueOf<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new SuiteFault(checked.problem);
  return checked.value;
}

function hashOf(...texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest("hex");
}

const nameOf = ({ name }: JsonObject): string => (typeof name === "string" ? name : "");
