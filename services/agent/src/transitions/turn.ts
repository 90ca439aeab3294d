import {
  type Call,
  callIdOf,
  checkArguments,
  definitionFault,
  type EventCall,
  failedResult,
  type JsonObject,
  type PrunedContext,
  quarantineSentence,
  type Registration,
  renderEffect,
  type StoredVendorTurn,
  type ToolResult,
  type Usage,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, parseStrictJson } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { CALLS_PER_TURN, PARALLEL_CALLS } from "../profile.ts";
import { addUsage } from "../usage.ts";
import { beginningOf } from "./begin-loop-tool.ts";
import { boundedText, shortened, storedBytes } from "./bounded-text.ts";
import { missingTool } from "./missing-tool.ts";
import { refusedCall } from "./call-rights.ts";
import { withModel } from "./conversation.ts";
import { Draft } from "./draft.ts";
import { finishRound } from "./finish-round.ts";
import { holds } from "./holds.ts";
import type { Snapshot } from "./snapshot.ts";
import { resolveCall } from "./join.ts";
import { isLoopTool } from "./loop-tools.ts";
import { withoutFailures } from "./model-retry.ts";
import type { Rules } from "./rules.ts";

/** The turn of the model (or the seed). */
export interface Turn {
  readonly provider: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly seed: boolean;
  readonly truncated: boolean;
  /** The vendor continues when it gets the transcript back with this turn at its end; the run is not over. */
  readonly paused?: boolean;
  /** The vendor's own form of the turn. */
  readonly vendor?: StoredVendorTurn;
  /** The part of the conversation that the model was not shown. */
  readonly pruned?: PrunedContext;
  /** Of the model call, with its price. */
  readonly usage: Pick<Usage, "inputTokens" | "outputTokens"> & Partial<Usage>;
  /** How many of the calls the run's budgets have room for; absent: all. */
  readonly allowedCalls?: number;
}

export interface TurnInput {
  readonly snapshot: Snapshot;
  readonly epoch: number;
  readonly turn: Turn;
  /** The tools of this run by name, as they were when it began. */
  readonly tools: ReadonlyMap<string, Registration>;
  /** The results of its calls of working memory, by their number in the turn: already read. */
  readonly recalled?: ReadonlyMap<number, ToolResult>;
  /** Registered tools that its calls name and that the run's requester may not use, by name. They are never sent. */
  readonly withheld?: ReadonlyMap<string, Registration>;
}

/**
 * Commits a turn: transcript, one row per call, the reads' invokes and every write's request, all at once. A turn without calls ends the run. Null if this
 * epoch no longer holds the run: the model's turn is discarded, or is already there.
 */
export function commitTurn({ snapshot, epoch, turn: said, tools, recalled, withheld }: TurnInput, rules: Rules): Change | null {
  const before = snapshot.run.value;
  if (!holds(epoch, before)) return null;
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  const { now } = draft;
  const turn: Turn = { ...said, text: boundedText(said.text) };
  const planned = plan(turn, draft, tools, withheld);
  draft.run = withoutFailures(draft.run);
  draft.setRun({
    round: before.round + 1,
    attempts: 0,
    lease: null,
    status: "waiting",
    activeMs: before.activeMs + Math.max(0, now - before.stepStartedAt),
    stepStartedAt: now,
    pending: planned.length,
    calls: planned.map(({ call }) => ({ callId: call.callId, write: call.kind === "write", resolved: false })),
    repeats: repeatsAfter(before.repeats, turn),
    // The calls are counted as they are resolved.
    usage: addUsage(before.usage, { ...turn.usage, modelCalls: turn.seed ? 0 : 1, toolCalls: 0 }),
  });
  recordTurn(draft, turn, planned, before.round);
  if (!turn.seed) draft.conversation = withModel(draft.conversation, { provider: turn.provider, model: turn.model });
  if (planned.length === 0 && turn.paused === true) finishRound(draft);
  else if (planned.length === 0) endWith(draft, turn);
  else {
    // Due when the active time is used up: a read whose worker never comes must not hold the run for ever.
    draft.runTimer(Math.max(1000, (draft.profile?.limits.activeMs ?? 60_000) - draft.run.activeMs));
    for (const { call } of planned) draft.addCall(call);
    for (const { call, result } of planned) {
      const begin = beginningOf(tools.get(call.toolName));
      // Skipped, because a write before it was refused.
      if (draft.calls.get(call.callId)?.state === "resolved") continue;
      if (result?.error?.code === "policy_denied") resolveCall(draft, call, result);
      else if (result) draft.resolve(call, result);
      else if (begin) begin(draft, call, recalled?.get(call.index));
      else if (call.kind === "write") draft.request(call);
      else draft.dispatch(call);
    }
    finishRound(draft);
  }
  return draft.build(`turn:${before.runId}:${before.round}.${epoch}`);
}

interface Planned {
  readonly call: Call;
  /** For a call that is not sent. */
  readonly result?: ToolResult;
}

function plan(turn: Turn, draft: Draft, tools: ReadonlyMap<string, Registration>, withheld: TurnInput["withheld"]): Planned[] {
  const excess = turn.calls.length > CALLS_PER_TURN;
  let reads = 0;
  let room = MAX_ARGUMENTS;
  const ids = new Set<string>();
  return turn.calls.slice(0, CALLS_PER_TURN).map((asked, index): Planned => {
    const transcriptId = asked.id && !ids.has(asked.id) ? asked.id : `call_${draft.run.round}_${index}`;
    ids.add(transcriptId);
    const offered = tools.get(asked.name);
    const tool = offered ?? withheld?.get(asked.name);
    const checked = checkedArguments(tool, asked, room);
    room -= storedBytes(checked.text);
    const call = { ...newCall(draft, index, transcriptId, asked.name, checked.text, tool), ...effectOf(tool, checked) };
    if (excess)
      return {
        call,
        result: failedResult(
          "not_executed",
          `A turn may hold ${CALLS_PER_TURN} calls; this one had ${turn.calls.length}, so none ran. Ask for fewer.`,
          { truncated: true },
        ),
      };
    if (turn.allowedCalls !== undefined && index >= turn.allowedCalls)
      return {
        call,
        result: failedResult("limit", "A budget of tool calls is used up, so this one was not made. Answer with what you have.", {
          truncated: true,
        }),
      };
    const refused = tool && !isLoopTool(tool) ? refusedCall(draft.run, call) : null;
    if (refused) return { call, result: refused };
    if (!offered) return { call, result: missingTool(asked.name, tool, tools, draft.now) };
    const quarantined = definitionFault(offered.definition);
    if (quarantined)
      return { call, result: failedResult("tool_disabled", `${quarantineSentence(offered.definition, quarantined)} Go on without it.`) };
    if (checked.fault) return { call, result: checked.fault };
    if (call.kind !== "write" && !isLoopTool(offered) && ++reads > PARALLEL_CALLS) {
      return {
        call,
        result: failedResult("not_executed", `Only ${PARALLEL_CALLS} calls run at the same time; ask for this one again.`, {
          truncated: true,
        }),
      };
    }
    return { call };
  });
}

// Text and arguments of a turn are one entry of a log, at most 64 KiB: this limit, as stored, leaves room for the rest.
const MAX_ARGUMENTS = 30 * 1024;

interface CheckedArguments {
  readonly text: string;
  readonly fault?: ToolResult;
  /** Absent where they cannot be used. */
  readonly args?: JsonObject;
}

/** The arguments as canonical text with defaults applied, or why they cannot be used. */
function checkedArguments(tool: Registration | undefined, asked: { name: string; arguments: string }, room: number): CheckedArguments {
  const invalid = (details: { path: string; message: string }[]): CheckedArguments => ({
    text: "{}",
    fault: failedResult(
      "invalid_arguments",
      `The arguments of "${asked.name.slice(0, 64)}" do not fit its schema: ${details.map((d) => `${d.path} ${d.message}`.trim()).join("; ")}.`,
      { details },
    ),
  });
  if (storedBytes(asked.arguments) > room)
    return invalid([{ path: "", message: `are too large: the arguments of one turn may have ${MAX_ARGUMENTS} bytes together` }]);
  const parsed = parseStrictJson(asked.arguments === "" ? "{}" : asked.arguments);
  if (!parsed.ok) return invalid([...parsed.problems]);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return invalid([{ path: "", message: "must be a JSON object" }]);
  const args = structuredClone(value) as { [key: string]: never };
  const problems = tool ? checkArguments(tool.definition, args) : [];
  if (problems.length > 0) return invalid([...problems]);
  const text = canonicalJson(args);
  // Defaults may have added to it.
  return storedBytes(text) > room ? invalid([{ path: "", message: "are too large with their defaults" }]) : { text, args };
}

function newCall(draft: Draft, index: number, transcriptId: string, name: string, text: string, tool: Registration | undefined): Call {
  const { runId, conversationId, round } = draft.run;
  const definition = tool?.definition;
  const idempotency = definition?.idempotency ?? { mode: "none" };
  return {
    callId: callIdOf(runId, round, index),
    runId,
    conversationId,
    round,
    index,
    transcriptId,
    toolName: name.slice(0, 128),
    toolVersion: definition?.version ?? "",
    toolHash: tool?.hash ?? "",
    toolset: tool?.toolset ?? "",
    ...(definition?.scopes?.length ? { scopes: [...definition.scopes] } : {}),
    kind: definition?.kind ?? "read",
    idempotency: idempotency.mode,
    keepsForMs: idempotency.mode === "key" ? idempotency.keepsForMs : 0,
    timeoutMs: definition?.timeoutMs ?? 0,
    arguments: text,
    argsHash: argumentsHash(text),
    secret: draft.rules.newSecret(),
    state: "queued",
    dispatch: 0,
    requests: 0,
    createdAt: draft.now,
    sentAt: draft.now,
    notAfter: null,
    heldMs: 0,
  };
}

/** What a write does, in the words of its tool; whoever asks later what happened need not find the definition again. */
function effectOf(tool: Registration | undefined, { args }: CheckedArguments): Pick<Call, "effect"> {
  if (tool?.definition.kind !== "write" || tool.definition.effect === undefined || !args) return {};
  return { effect: shortened(renderEffect(tool.definition, args), EFFECT_BYTES) };
}

const EFFECT_BYTES = 400;

function recordTurn(draft: Draft, turn: Turn, planned: readonly Planned[], round: number): void {
  const calls: EventCall[] = planned.map(({ call }) => ({
    callId: call.callId,
    transcriptId: call.transcriptId,
    tool: call.toolName,
    kind: call.toolHash ? call.kind : "unknown",
    arguments: call.arguments,
  }));
  const { provider, model, text, seed, vendor, pruned } = turn;
  draft.transcript({
    type: "assistant",
    runId: draft.run.runId,
    round,
    text,
    calls: calls.map((call) => ({ id: call.transcriptId, callId: call.callId, name: call.tool, arguments: call.arguments })),
    at: draft.now,
    provider,
    model,
    ...(vendor ? { vendor } : {}),
  });
  const { usage } = draft.run;
  draft.event({ type: "turn", at: draft.now, round, seed, provider, model, text, calls, ...(pruned ? { pruned } : {}), usage });
}

function endWith(draft: Draft, turn: Turn): void {
  const { report, usage } = draft.run;
  draft.end({ type: "run.completed", at: draft.now, text: turn.text, truncated: turn.truncated, report, usage }, "done", {
    text: turn.text,
    truncated: turn.truncated,
  });
}

/** Counts how often in a row the model asked for the very same calls. */
function repeatsAfter(before: { key: string; count: number }, turn: Turn): { key: string; count: number } {
  const key = turn.calls.length === 0 ? "" : argumentsHash(JSON.stringify(turn.calls.map((call) => [call.name, call.arguments])));
  return key !== "" && key === before.key ? { key, count: before.count + 1 } : { key, count: 1 };
}
