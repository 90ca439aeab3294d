import { describeProblems, parser, type Static, Type } from "@toolbus/contracts";
import type { SuiteResult } from "./suite-result.ts";
import { DIMENSIONS } from "./trial.ts";

/** The version of the form of a result file. */
export const RESULT_FORMAT = "toolbus-eval-result/1";

/** A result, or one sentence that says why the text is none and what to do. */
export type ReadResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Figure = Type.Number({ minimum: 0 });
const Words = Type.String({ maxLength: 20_000 });

const ScoreForm = Type.Object({
  name: Name,
  dimension: Type.Enum([...DIMENSIONS]),
  value: Type.Number({ minimum: 0, maximum: 1 }),
  passed: Type.Boolean(),
  reason: Words,
  advisory: Type.Optional(Type.Boolean()),
  error: Type.Optional(Type.Boolean()),
});

const TrialForm = Type.Object({
  scenario: Name,
  variant: Name,
  repeat: Type.Integer({ minimum: 1 }),
  status: Type.Enum(["passed", "failed", "error"]),
  scores: Type.Array(ScoreForm, { maxItems: 1000 }),
  usage: Type.Object({
    rounds: Figure,
    toolCalls: Figure,
    inputTokens: Figure,
    outputTokens: Figure,
    costMicroUsd: Type.Union([Figure, Type.Null()]),
    elapsedMs: Figure,
  }),
  runId: Type.Optional(Type.String({ maxLength: 200 })),
  problem: Type.Optional(Words),
});

// Unknown fields are accepted, because a later version may add some without a new format.
const SuiteResultForm = Type.Object({
  format: Type.Optional(Type.String()),
  // The name becomes the name of a folder, so it must not lead out of it.
  suite: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,99}$" }),
  suiteHash: Name,
  scenarioHashes: Type.Record(Type.String(), Type.String()),
  tags: Type.Record(Type.String(), Type.Array(Type.String())),
  models: Type.Record(Type.String(), Type.String()),
  startedAt: Type.String(),
  endedAt: Type.String(),
  trials: Type.Array(TrialForm),
});

const parse = parser(SuiteResultForm);
const REMEDY = 'name a file that "toolbus eval run" wrote, or run the suite again.';

/** Returns the result in a text, or one sentence with its first fault. `name` is the name of the file in this sentence. */
export function readSuiteResult(text: string, name: string): ReadResult<SuiteResult> {
  if (text.trim() === "") return fault(`The result file ${name} is empty: ${REMEDY}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A torn file begins as JSON does. The remedy is the same, but people look for another cause.
    const torn = /^\s*\{/.test(text) ? "ends in the middle or is not JSON" : "is not JSON";
    return fault(`The result file ${name} ${torn}: ${REMEDY}`);
  }
  return suiteResultOf(value, `The result file ${name}`, REMEDY);
}

/** Returns the result in a value that was already read as JSON. `what` begins the sentence about a fault, and `remedy` ends it. */
export function suiteResultOf(value: unknown, what: string, remedy: string): ReadResult<SuiteResult> {
  const format = typeof value === "object" && value !== null ? (value as { readonly format?: unknown }).format : undefined;
  if (format !== undefined && format !== RESULT_FORMAT) {
    const shown = JSON.stringify(format).slice(0, 80);
    return fault(`${what} has the format ${shown}, and this version reads ${RESULT_FORMAT}: use the version of toolbus that wrote it.`);
  }
  const parsed = parse(value);
  if (!parsed.ok) return fault(`${what} is not a result of an evaluation (${describeProblems(parsed.problems.slice(0, 1))}): ${remedy}`);
  const result: SuiteResult = parsed.value satisfies Static<typeof SuiteResultForm>;
  if (result.trials.length === 0) return fault(`${what} has no trials: ${remedy}`);
  const names = result.trials.map(({ scenario, variant, repeat }) => JSON.stringify([scenario, variant, repeat]));
  const seen = new Set<string>();
  const twice = names.find((one) => seen.size === seen.add(one).size);
  if (twice !== undefined) return fault(`${what} has the trial ${twice} twice: ${remedy}`);
  return { ok: true, value: result };
}

function fault(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
