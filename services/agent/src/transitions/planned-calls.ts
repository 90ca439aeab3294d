import {
  type Call,
  argumentsTooLarge,
  callIdOf,
  checkArguments,
  definitionFault,
  failedResult,
  type JsonObject,
  MAX_WRITTEN_CHARS,
  mcpServerOf,
  protectionOf,
  quarantineSentence,
  type Registration,
  renderEffect,
  type ToolResult,
  trustOf,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, parseStrictJson } from "@toolbus/grants";
import { CALLS_PER_TURN, PARALLEL_CALLS } from "../profile.ts";
import { shortened, storedBytes } from "./bounded-text.ts";
import { refusedCall } from "./call-rights.ts";
import type { Draft } from "./draft.ts";
import { isLoopTool } from "./loop-tools.ts";
import { missingTool } from "./missing-tool.ts";
import type { Turn, TurnInput } from "./turn-input.ts";

/** A call that a turn makes, before anything is sent. */
export interface Planned {
  readonly call: Call;
  /** The result of a call that is not sent. */
  readonly result?: ToolResult;
  /** The call that the model made, if its arguments name the tool of `call`. */
  readonly said?: { readonly name: string; readonly arguments: string };
  /** The JSON object that the model wrote, if these arguments cannot be used. `arguments` of `call` is then `{}`. */
  readonly unusable?: string;
}

/** Returns the calls of a turn, each with checked arguments. A call that is not sent already has its result. */
export function plannedCalls(
  turn: Turn,
  draft: Draft,
  tools: ReadonlyMap<string, Registration>,
  { withheld, byName }: Pick<TurnInput, "withheld" | "byName">,
): Planned[] {
  const excess = turn.calls.length > CALLS_PER_TURN;
  let reads = 0;
  let room = MAX_ARGUMENTS;
  const ids = new Set<string>();
  return turn.calls.slice(0, CALLS_PER_TURN).map((said, index): Planned => {
    const transcriptId = said.id && !ids.has(said.id) ? said.id : `call_${draft.run.round}_${index}`;
    ids.add(transcriptId);
    const meant = byName?.get(index);
    const named = meant && "tool" in meant ? meant : undefined;
    // From here on, a call whose arguments name its tool is a call of that tool.
    const asked = named ? { name: named.tool.definition.name, arguments: named.arguments } : said;
    const offered = named ? (named.isUsable ? named.tool : undefined) : tools.get(asked.name);
    const tool = offered ?? named?.tool ?? withheld?.get(asked.name);
    const checked = checkedArguments(tool, { ...asked, written: named?.written ?? asked.arguments }, room);
    const recorded = named ? (storedBytes(named.written) > room ? "{}" : named.written) : (checked.unusable ?? checked.text);
    room -= storedBytes(recorded);
    const call: Call = {
      ...newCall(draft, index, transcriptId, asked.name, checked.text, tool),
      ...effectOf(tool, checked),
      ...writtenOf(asked.arguments, checked),
      ...(named ? { via: said.name } : {}),
    };
    const result = notSent(call, checked);
    return {
      call,
      ...(result ? { result } : {}),
      ...(named ? { said: { name: said.name, arguments: recorded } } : {}),
      ...(checked.unusable === undefined ? {} : { unusable: checked.unusable }),
    };

    /** Returns the result of a call that must not be sent, or null if it may be sent. */
    function notSent({ kind }: Call, { fault }: CheckedArguments): ToolResult | null {
      if (excess)
        return failedResult(
          "not_executed",
          `A turn may hold ${CALLS_PER_TURN} calls; this one had ${turn.calls.length}, so none ran. Ask for fewer.`,
          { truncated: true },
        );
      if (turn.allowedCalls !== undefined && index >= turn.allowedCalls)
        return failedResult("limit", "A budget of tool calls is used up, so this one was not made. Answer with what you have.", {
          truncated: true,
        });
      const refused = tool && !isLoopTool(tool) ? refusedCall(draft.run, call) : null;
      if (refused) return refused;
      if (!offered) return missingTool(asked.name, tool, tools, draft.now);
      const quarantined = definitionFault(offered.definition);
      if (quarantined) return failedResult("tool_disabled", `${quarantineSentence(offered.definition, quarantined)} Go on without it.`);
      if (fault) return fault;
      if (meant && "refused" in meant) return meant.refused;
      if (kind === "write" || isLoopTool(offered) || ++reads <= PARALLEL_CALLS) return null;
      return failedResult("not_executed", `Only ${PARALLEL_CALLS} calls run at the same time; ask for this one again.`, {
        truncated: true,
      });
    }
  });
}

// The text and the arguments of a turn are one log entry of at most 64 KiB. This limit applies to the arguments as stored, and leaves room for the
// other fields.
const MAX_ARGUMENTS = 30 * 1024;

interface CheckedArguments {
  readonly text: string;
  readonly fault?: ToolResult;
  /** Absent if the arguments cannot be used. */
  readonly args?: JsonObject;
  /** The JSON object that the model wrote. Present only if the arguments cannot be used, are an object and fit in the turn's log entry. */
  readonly unusable?: string;
}

/**
 * Returns the arguments as canonical text with defaults applied, or the fault that makes them unusable. `written` is the text of the arguments that
 * the turn's log entry contains.
 */
function checkedArguments(
  tool: Registration | undefined,
  asked: { readonly name: string; readonly arguments: string; readonly written: string },
  room: number,
): CheckedArguments {
  const invalid = (details: { path: string; message: string }[]): CheckedArguments => ({
    text: "{}",
    fault: failedResult(
      "invalid_arguments",
      `The arguments of "${asked.name.slice(0, 64)}" do not fit its schema: ${details.map((d) => `${d.path} ${d.message}`.trim()).join("; ")}.`,
      { details },
    ),
  });
  if (storedBytes(asked.written) > room)
    return invalid([{ path: "", message: `are too large: the arguments of one turn may have ${MAX_ARGUMENTS} bytes together` }]);
  const parsed = parseStrictJson(asked.arguments === "" ? "{}" : asked.arguments);
  if (!parsed.ok) return invalid([...parsed.problems]);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return invalid([{ path: "", message: "must be a JSON object" }]);
  // The check applies defaults in place. Nobody else has this value, because it was just parsed.
  const args = value as { [key: string]: never };
  const problems = tool ? checkArguments(tool.definition, args) : [];
  if (problems.length > 0) return { ...invalid([...problems]), ...unusableObject(asked.arguments, room) };
  const text = canonicalJson(args);
  // The worker has the same limit. Here it saves people from approving a call that its worker refuses.
  const { argumentBytes } = (tool && protectionOf(tool.definition).limits) ?? {};
  const tooLarge = argumentBytes === undefined ? null : argumentsTooLarge(text, argumentBytes);
  if (tooLarge) return { ...invalid([tooLarge]), ...unusableObject(asked.arguments, room) };
  // Defaults may have made the text longer.
  return storedBytes(text) > room ? invalid([{ path: "", message: "are too large with their defaults" }]) : { text, args };
}

function newCall(draft: Draft, index: number, transcriptId: string, name: string, text: string, tool: Registration | undefined): Call {
  const { runId, conversationId, round } = draft.run;
  const definition = tool?.definition;
  const mcpServer = definition && mcpServerOf(definition);
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
    ...(mcpServer === undefined ? {} : { mcpServer }),
    ...(definition?.scopes?.length ? { scopes: [...definition.scopes] } : {}),
    kind: definition?.kind ?? "read",
    ...(definition && trustOf(definition) === "untrusted" ? { untrusted: true } : {}),
    ...(draft.run.taint === undefined ? {} : { afterUntrusted: true }),
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

/** Returns the effect of a write in the words of its tool. The call stores it, so people who later ask what happened do not need the definition. */
function effectOf(tool: Registration | undefined, { args }: CheckedArguments): Pick<Call, "effect"> {
  if (tool?.definition.kind !== "write" || tool.definition.effect === undefined || !args) return {};
  return { effect: shortened(renderEffect(tool.definition, args), EFFECT_BYTES) };
}

/** Returns the arguments that could not be used, so that a replay of the run finds the same fault. */
function writtenOf(written: string, { fault }: CheckedArguments): Pick<Call, "written"> {
  return fault && written.length <= MAX_WRITTEN_CHARS ? { written: written.toWellFormed() } : {};
}

/**
 * Returns what the model wrote, without the defaults that the check applied to the parsed value. People and the model read it in place of `{}`, which
 * the model did not write.
 */
function unusableObject(written: string, room: number): Pick<CheckedArguments, "unusable"> {
  const parsed = parseStrictJson(written);
  const unusable = parsed.ok ? canonicalJson(parsed.value) : "{}";
  return storedBytes(unusable) > room ? {} : { unusable };
}

/** The longest effect in a call, in bytes of JSON. */
export const EFFECT_BYTES = 400;
