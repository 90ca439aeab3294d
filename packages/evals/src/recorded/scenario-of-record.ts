import { isJsonObject, isRunEnd, type Json, type JsonObject, type RecordedCall, type RunRecord } from "@toolbus/contracts";
import { stringify } from "yaml";
import { earlierCalls } from "./earlier-calls.ts";
import { SuiteFault } from "../scenario/suite-texts.ts";
import { type MaskedKinds, maskValues } from "./mask-values.ts";
import { argumentsOf, recordedFixtures } from "./recorded-fixtures.ts";
import { secretsIn } from "./secrets-in.ts";

/** A run as a scenario. */
export interface RecordedScenario {
  readonly id: string;
  /** The text of the scenario's file. */
  readonly yaml: string;
  /** What was masked, with the number of texts. */
  readonly masked: MaskedKinds;
}

export interface ScenarioOptions {
  /** The id of the scenario. By default it is made from the run's id. */
  readonly id?: string;
  /** Whether the scenario has the turns of the model, so that it needs no model. */
  readonly golden?: boolean;
}

/**
 * Makes a run a scenario: its input, what the tools answered, how people decided, and what happened as the expectation. Personal data and secrets are
 * masked everywhere. Throws a `SuiteFault` if the turns of the model cannot be in a scenario.
 */
export function scenarioOfRecord(record: RunRecord, { id = idOf(record), golden = false }: ScenarioOptions = {}): RecordedScenario {
  const { run } = record;
  const approvals = approvalsOf(record);
  const scenario = {
    id,
    description: `From the run ${run.runId} of ${new Date(run.createdAt).toISOString().slice(0, 10)}.`,
    tags: ["recorded"],
    profile: run.profile,
    input: inputOf(record),
    fixtures: recordedFixtures(record) as unknown as Json,
    ...(Object.keys(approvals).length > 0 ? { approvals } : {}),
    ...(golden ? { model: turnsOf(record) } : {}),
    expect: expectationsOf(record),
  };
  const { value, masked } = maskValues(scenario as unknown as JsonObject, secretsIn(record));
  return { id, yaml: stringify(value, { lineWidth: 120 }), masked };
}

function idOf({ run }: RunRecord): string {
  return `run-${run.runId.slice(-10).toLowerCase()}`;
}

function inputOf({ run, transcript }: RunRecord): JsonObject {
  const { alert, releaseId, changes, measurements, note } = run.input;
  const noted = typeof note === "string" ? { note } : {};
  if (alert !== undefined) return { alert, ...noted };
  const release = typeof releaseId === "string" ? { release: releaseId } : {};
  const facts = isJsonObject(changes) ? { changes, ...(isJsonObject(measurements) ? { measurements } : {}) } : {};
  if ("release" in release || "changes" in facts) return { ...release, ...facts, ...noted };
  const messages = transcript.flatMap(({ entry }) => (entry.type === "user" ? [entry.text] : []));
  const [first] = messages;
  return messages.length === 1 && first !== undefined ? { message: first } : { messages };
}

/** Returns the last decision of people about each tool. What the policy decided, it decides again. */
function approvalsOf(record: RunRecord): Record<string, JsonObject> {
  const { events, calls } = record;
  const approvals: Record<string, JsonObject> = {};
  // Who decided in an earlier run is not in the record. If nobody had to, this says nothing.
  for (const { tool, status } of earlierCalls(record)) {
    if (record.tools.some(({ definition }) => definition.name === tool && definition.kind === "write"))
      approvals[tool] = { decide: status === "denied" ? "deny" : "approve" };
  }
  for (const event of events) {
    if (event.type === "call.held") approvals[event.tool] = { decide: "wait" };
    if (event.type !== "call.decided" || !(event.tool in approvals)) continue;
    const decide = DECISIONS[event.outcome];
    if (decide === undefined) continue;
    const said = / They said: "([\s\S]*)" (?:Do not try it again|Rework)/.exec(
      calls.find(({ callId }) => callId === event.callId)?.result?.error?.message ?? "",
    );
    approvals[event.tool] = { decide, ...(said?.[1] === undefined ? {} : { comment: said[1] }) };
  }
  return approvals;
}

const DECISIONS: Readonly<Record<string, string>> = {
  approved: "approve",
  rejected: "deny",
  revision_requested: "revise",
  expired: "wait",
};

/** Returns the turns of the conversation, because the scenario sends its earlier messages too. */
function turnsOf({ transcript }: RunRecord): JsonObject[] {
  return transcript.flatMap(({ entry }) =>
    entry.type === "assistant" && entry.provider !== "toolbus"
      ? [
          {
            text: entry.text,
            calls: entry.calls.map(({ name, arguments: args }) => ({ tool: name, arguments: writtenBy(name, args) })),
          },
        ]
      : [],
  );
}

/** Returns the arguments of a model's call. Throws a `SuiteFault` if they are no JSON object, because a scenario cannot have such a turn. */
function writtenBy(tool: string, text: string): JsonObject {
  try {
    const args = JSON.parse(text || "{}") as Json;
    if (isJsonObject(args)) return args;
  } catch {
    // The fault below says it.
  }
  throw new SuiteFault(`The model called ${tool} with arguments that are not a JSON object, so its turns cannot be in a scenario.`);
}

function expectationsOf({ events, calls }: RunRecord): JsonObject {
  const [end] = events.flatMap((event) => (isRunEnd(event) ? [event] : []));
  const own = calls.filter(({ round, result }) => round > 0 && result?.error?.code !== "tool_not_found");
  const order = own.map(({ toolName }) => toolName).filter((tool, n, all) => tool !== all[n - 1]);
  const severity = end?.report?.severity;
  const decided = events.flatMap((event) =>
    event.type === "call.decided" && event.outcome === "approved"
      ? [{ tool: event.tool, decidedBy: event.decidedBy.includes("policy") ? "policy" : "people" }]
      : [],
  );
  const rounds = Math.max(0, ...events.flatMap((event) => (event.type === "turn" ? [event.round] : [])));
  return {
    ...(end ? { end: end.type.slice("run.".length) } : {}),
    ...(own.length > 0 ? { tools: { called: own.map(calledOf), ...(order.length > 1 ? { order } : {}) } } : {}),
    ...(severity ? { severity: [severity] } : {}),
    ...(decided.length > 0 ? { approvals: decided } : {}),
    limits: { rounds, toolCalls: calls.length },
  };
}

function calledOf(call: RecordedCall): JsonObject {
  return {
    tool: call.toolName,
    arguments: argumentsOf(call),
    withinRound: call.round,
    ...(call.result ? { status: call.result.status } : {}),
  };
}
