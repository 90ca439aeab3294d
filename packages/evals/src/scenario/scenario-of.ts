import type { Json } from "@toolbus/contracts";
import type { Expectations, Fixture, Scenario, ScenarioInput } from "./scenario.ts";
import type { FixtureFile, FixturesFile, ScenarioFile, SuiteFile } from "./suite-file.ts";

/** What a suite gives to each of its scenarios. */
export type SuiteDefaults = Pick<SuiteFile, "profile" | "timeoutSeconds">;

/** The time limit of a trial, if neither the suite nor the scenario has one. */
const TIMEOUT_SECONDS = 60;

/**
 * Returns a scenario from its checked file. `fileOf` returns the content of a file that a fixture names. `defaults` are the fixtures of the suite. They
 * come after those of the scenario, so the scenario's answer is used if both match.
 */
export function scenarioOf(
  file: ScenarioFile,
  suite: SuiteDefaults,
  fixtures: Readonly<Record<string, readonly Fixture[]>>,
  defaults: Readonly<Record<string, readonly Fixture[]>>,
): Scenario {
  const tools = new Set([...Object.keys(fixtures), ...Object.keys(defaults)]);
  return {
    id: file.id,
    description: file.description ?? "",
    tags: file.tags ?? [],
    profile: file.profile ?? suite.profile ?? null,
    input: inputOf(file.input),
    fixtures: Object.fromEntries([...tools].map((tool) => [tool, [...(fixtures[tool] ?? []), ...(defaults[tool] ?? [])]])),
    approvals: file.approvals ?? {},
    turns:
      file.model?.map(({ text = "", calls = [] }) => ({
        text,
        calls: calls.map(({ tool, arguments: args = {} }) => ({ tool, arguments: args })),
      })) ?? null,
    timeoutMs: (file.timeoutSeconds ?? suite.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
    expect: expectationsOf(file.expect ?? {}),
    rubric: file.rubric ?? [],
  };
}

/** Returns fixtures with the content of the files that they name. */
export function fixturesOf(fixtures: FixturesFile, fileOf: (path: string) => Json): Readonly<Record<string, readonly Fixture[]>> {
  return Object.fromEntries(
    Object.entries(fixtures).map(([tool, list]) => [
      tool,
      list.map((fixture) => ({ when: fixture.when ?? null, times: fixture.times ?? null, answer: answerOf(fixture, fileOf) })),
    ]),
  );
}

function answerOf({ result, file, error }: FixtureFile, fileOf: (path: string) => Json): Fixture["answer"] {
  if (error) return { kind: "error", ...error };
  return { kind: "result", result: file === undefined ? (result ?? null) : fileOf(file) };
}

function inputOf({ release, changes, measurements, alert, note, message, messages }: ScenarioFile["input"]): ScenarioInput {
  const noted = note === undefined ? {} : { note };
  if (release !== undefined || changes !== undefined)
    return {
      kind: "release",
      ...(release === undefined ? {} : { release }),
      ...(changes === undefined ? {} : { changes }),
      ...(measurements === undefined ? {} : { measurements }),
      ...noted,
    };
  if (alert !== undefined) return { kind: "alert", alert, ...noted };
  return { kind: "messages", messages: messages ?? [message ?? ""] };
}

function expectationsOf({ severity, ...rest }: NonNullable<ScenarioFile["expect"]>): Expectations {
  if (severity === undefined) return rest;
  return { ...rest, severity: typeof severity === "string" ? [severity] : severity };
}
