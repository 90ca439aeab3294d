import type { Json, TranscriptEntry } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { ModelRequest } from "@toolbus/models";
import type { FreeRun, FreeTurn } from "./free-run.ts";
import { memberOf } from "./first-difference.ts";

/** One turn of the comparison. `differs` says what differs, in sentences. It is empty if the turn is equal. */
export interface ComparedTurn {
  readonly round: number;
  readonly differs: readonly string[];
  /** The calls of the other run that were not recorded. */
  readonly notRecorded: readonly string[];
}

export interface ComparedRuns {
  readonly turns: readonly ComparedTurn[];
  /** How the ends differ. Empty if they are equal. */
  readonly end: readonly string[];
}

/** Compares two runs turn by turn. With `asked`, what the model was asked is compared. Otherwise what it said is. */
export function compareTurns(before: FreeRun, after: FreeRun, what: "asked" | "said"): ComparedRuns {
  const rounds = [...new Set([...before.turns, ...after.turns].map(({ round }) => round))].toSorted((a, b) => a - b);
  const turns = rounds.map((round): ComparedTurn => {
    const [one, other] = [turnAt(before, round), turnAt(after, round)];
    return {
      round,
      differs: differences(one, other, what),
      notRecorded: (other?.calls ?? []).flatMap((call) => (call.recorded ? [] : [call.tool])),
    };
  });
  return { turns, end: endsDiffer(before, after) };
}

const turnAt = ({ turns }: FreeRun, round: number): FreeTurn | undefined => turns.find((turn) => turn.round === round);

function differences(one: FreeTurn | undefined, other: FreeTurn | undefined, what: "asked" | "said"): readonly string[] {
  if (!one) return ["The log has no such turn."];
  if (!other) return ["The run has no such turn any more."];
  // A seed turn asks no model, so its calls are compared.
  return what === "asked" && one.asked && other.asked ? requestsDiffer(one.asked, other.asked) : saidDiffers(one, other);
}

function requestsDiffer(one: ModelRequest, other: ModelRequest): readonly string[] {
  const settings = (["toolChoice", "parallelCalls", "temperature", "maxTokens"] as const).flatMap((name) =>
    one[name] === other[name] ? [] : [`${name} is ${shown(other[name])} and was ${shown(one[name])}.`],
  );
  return [
    ...(one.system === other.system ? [] : [`The system prompt differs from character ${firstChar(one.system, other.system)} on.`]),
    ...toolsDiffer(one.tools, other.tools),
    ...settings,
    ...transcriptsDiffer(one.transcript, other.transcript),
  ];
}

function toolsDiffer(one: ModelRequest["tools"], other: ModelRequest["tools"]): readonly string[] {
  const names = [...new Set([...one, ...other].map(({ name }) => name))];
  const said = names.flatMap((name) => {
    const [before, after] = [one, other].map((tools) => tools.find((tool) => tool.name === name));
    if (!before) return [`The tool ${name} is offered and was not.`];
    if (!after) return [`The tool ${name} is not offered any more.`];
    const member = memberOf(before as unknown as Json, after as unknown as Json);
    return member === "" ? [] : [`The tool ${name} has another ${member}.`];
  });
  if (said.length > 0 || one.every(({ name }, n) => other[n]?.name === name)) return said;
  return ["The tools are offered in another order."];
}

function transcriptsDiffer(one: ModelRequest["transcript"], other: ModelRequest["transcript"]): readonly string[] {
  for (let n = 0; n < Math.max(one.length, other.length); n++) {
    const [before, after] = [one[n], other[n]];
    if (!before) return [`The transcript has ${other.length} entries and had ${one.length}.`];
    if (!after) return [`The transcript has ${other.length} entries and had ${one.length}.`];
    const member = memberOf(timeless(before), timeless(after));
    if (member !== "") return [`The transcript differs from entry ${n + 1} on: ${entryName(after)} has another ${member}.`];
  }
  return [];
}

/** The time of an entry is not sent to a model. */
function timeless({ at: _, ...entry }: TranscriptEntry): Json {
  return entry as unknown as Json;
}

function entryName(entry: TranscriptEntry): string {
  if (entry.type === "result") return `the result of ${entry.name}`;
  return entry.type === "user" ? "the person's message" : `the turn of round ${entry.round}`;
}

function saidDiffers(one: FreeTurn, other: FreeTurn): readonly string[] {
  const [before, after] = [one, other].map(({ calls }) => calls.map(({ tool, arguments: args }) => `${tool} ${argumentsText(args)}`));
  const calls = before?.join("\n") === after?.join("\n") ? [] : [`It calls ${listed(after ?? [])}, and called ${listed(before ?? [])}.`];
  return [...calls, ...(one.text === other.text ? [] : ["Its text differs."])];
}

function argumentsText(args: string): string {
  try {
    return canonicalJson(JSON.parse(args) as Json);
  } catch (error) {
    if (error instanceof SyntaxError) return args;
    throw error;
  }
}

const listed = (calls: readonly string[]): string => (calls.length === 0 ? "nothing" : calls.join(", "));

function endsDiffer({ end: before }: FreeRun, { end: after }: FreeRun): readonly string[] {
  if (before === null && after === null) return [];
  if (after === null) return ["The log has no turn of the model for the next round."];
  if (before === null) return [`The run ends with ${after.type}.`];
  const reason = (end: typeof after): string => (end.type === "run.failed" ? ` (${end.code})` : "");
  const [was, is] = [before, after].map((end) => `${end.type}${reason(end)}`);
  return was === is ? [] : [`The run ends with ${is}, and ended with ${was}.`];
}

function shown(value: unknown): string {
  return value === undefined ? "not set" : JSON.stringify(value);
}

function firstChar(one: string, other: string): number {
  let n = 0;
  while (n < one.length && one[n] === other[n]) n++;
  return n + 1;
}
