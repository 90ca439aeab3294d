import type { Json, JsonObject, RecordedCall, RunRecord } from "@toolbus/contracts";
import { earlierCalls, errorIn } from "./earlier-calls.ts";

/** An entry of a scenario's fixtures, in the form of its file. */
export type FixtureEntry =
  | { readonly when: JsonObject; readonly result: Json; readonly times?: number }
  | { readonly when: JsonObject; readonly error: { readonly code: string; readonly message: string }; readonly times?: number };

interface Answered {
  readonly tool: string;
  readonly when: JsonObject;
  readonly answer: { readonly result: Json } | { readonly error: { readonly code: string; readonly message: string } };
}

/**
 * Returns what each tool answered in the conversation up to the run's end, in the order of the calls. Equal calls with different answers get them one
 * after the other.
 */
export function recordedFixtures(record: RunRecord): Readonly<Record<string, readonly FixtureEntry[]>> {
  const fixtures: Record<string, FixtureEntry[]> = {};
  const own: readonly Answered[] = record.calls
    .filter(wasAnswered)
    .map((call) => ({ tool: call.toolName, when: argumentsOf(call), answer: answerOf(call) }));
  for (const { tool, when, answer } of [...earlierAnswers(record), ...own]) {
    const its = (fixtures[tool] ??= []);
    const equal = its.findLast((entry) => JSON.stringify(entry.when) === JSON.stringify(when));
    const isSame = equal && JSON.stringify({ ...equal, times: undefined }) === JSON.stringify({ when, ...answer, times: undefined });
    if (!isSame) its.push({ when, ...answer });
  }
  return Object.fromEntries(
    Object.entries(fixtures).map(([tool, entries]) => [tool, entries.map((entry, n) => withTimes(entry, entries, n))]),
  );
}

function earlierAnswers(record: RunRecord): readonly Answered[] {
  return earlierCalls(record).flatMap(({ tool, arguments: when, status, content }): readonly Answered[] => {
    const error = status === "error" ? errorIn(content) : null;
    if (status === "ok") return [{ tool, when, answer: { result: parsedOr(content) } }];
    return error && !OWN.has(error.code) ? [{ tool, when, answer: { error } }] : [];
  });
}

/** An answer is used once if a later one is for the same arguments. */
function withTimes(entry: FixtureEntry, entries: readonly FixtureEntry[], n: number): FixtureEntry {
  const later = entries.slice(n + 1).some(({ when }) => JSON.stringify(when) === JSON.stringify(entry.when));
  return later ? { ...entry, times: 1 } : entry;
}

/** Only a worker's answer is a fixture. What the agent or approvals decided, the evaluation decides again. */
function wasAnswered({ dispatch, result }: RecordedCall): boolean {
  return dispatch > 0 && result !== null && !OWN.has(result.error?.code ?? "");
}

const OWN: ReadonlySet<string> = new Set(["cancelled", "skipped", "approval_lapsed", "no_worker", "not_recorded"]);

export function argumentsOf({ arguments: args, asked }: RecordedCall): JsonObject {
  const text = asked?.arguments ?? args;
  return text === "" ? {} : (JSON.parse(text) as JsonObject);
}

function answerOf({ result }: RecordedCall) {
  const error = result?.error;
  if (error) return { error: { code: error.code, message: error.message } };
  return { result: parsedOr(result?.content ?? "") };
}

function parsedOr(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
