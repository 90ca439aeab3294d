import { type Idempotency, isJsonObject, type Json, type JsonObject, type Plan } from "@toolbus/contracts";
import { type Reconciliation, toolError, type ToolOutput, type ToolProblem } from "@toolbus/tool-kit";
import type { Observe } from "../ports/observation.ts";
import { portCall, type Wire } from "../ports/wire.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";

export interface Attempt {
  readonly callId: string;
  readonly tool: string;
  readonly mode: Idempotency["mode"];
  readonly arguments: Json;
}

/** For this amount, the answer is longer than a message, a document or the model's window allows. */
export const AT_LENGTH = 997;
const LONG_TEXT = "A long answer, word for word. ".repeat(3000);

/**
 * The target of the tools. It records every change. It recognises a repeated key, or answers questions about an outcome, only if the tool's mode says
 * so.
 */
export interface Target {
  /** Looks something up. */
  look(process: SimProcess, what: string): Promise<Json>;
  /** Returns what a write would change. Somebody else may have changed the target since it was asked before, also back to what it was. */
  plan(process: SimProcess, callId: string, args: JsonObject): Promise<Plan | ToolProblem>;
  /** Computes the value that a write will send. For some writes, the target must look something up, which can take long. */
  prepare(process: SimProcess, args: Json): Promise<Json>;
  /** Makes a change, once for each request that it accepts. With mode `key`, it makes the change once for each call. */
  change(process: SimProcess, attempt: Attempt): Promise<ToolOutput>;
  /** Returns what happened to a call. If nothing happened, the target refuses this call from now on. */
  ask(process: SimProcess, callId: string): Promise<Reconciliation>;
}

export interface TargetOptions {
  readonly wire: Wire;
  readonly observe: Observe;
  /** The probability that somebody else has changed what a write is about, when its worker plans it. */
  readonly drifts: number;
}

/** The number of states in which a part of the target can be. There are few, so that an earlier state comes back. */
const STATES = 3;

export function target({ wire, observe, drifts }: TargetOptions): Target {
  const { clockwork, faults, random } = wire;
  const happened = new Set<string>();
  const refused = new Set<string>();
  const voided = new Set<string>();
  /** The state of the part of the target that a call is about. */
  const states = new Map<string, number>();
  return {
    look: (process, what) => call(process, `look ${what}`, async () => atLength(Number(what), { found: what, ...detailed(Number(what)) })),
    plan: (process, callId, args) => call(process, `plan ${callId}`, async () => plan(callId, args)),
    prepare: async (process, args) => (random.chance(0.3) ? call(process, "look for a write", async () => args) : args),
    change: (process, attempt) =>
      call(process, `change ${attempt.tool} ${attempt.callId}`, async () => change(attempt), { repeatable: attempt.mode === "key" }),
    ask: (process, callId) => call(process, `ask about ${callId}`, async () => ask(callId)),
  };

  function plan(callId: string, args: JsonObject): Plan | ToolProblem {
    if (random.chance(0.05)) return toolError("target_refused", "The target has no such thing.", { effect: "none" });
    if (random.chance(drifts)) states.set(callId, random.below(STATES));
    const made: Plan = { before: { state: states.get(callId) ?? 0 }, after: { n: args["n"] ?? null } };
    observe({ kind: "planned", at: clockwork.now, callId, plan: made });
    return made;
  }

  function change({ callId, tool, mode, arguments: args }: Attempt): ToolOutput {
    // A target with keys gives the same answer to the same key, even a refusal.
    const known = mode === "key" ? happened.has(callId) || refused.has(callId) : voided.has(callId);
    if (!known && faults.hit("refusing_target")) refused.add(callId);
    else if (!known) {
      happened.add(callId);
      observe({ kind: "effect", at: clockwork.now, callId, tool, arguments: args });
    }
    const no = voided.has(callId) || (refused.has(callId) && !happened.has(callId));
    return no ? toolError("target_refused", "The target refuses this.", { effect: "none" }) : atLength(args, { done: callId });
  }

  function ask(callId: string): Reconciliation {
    if (random.chance(0.2)) return { kind: "unknown" };
    if (happened.has(callId)) return { kind: "happened", content: { done: callId } };
    voided.add(callId);
    observe({ kind: "void", at: clockwork.now, callId });
    return { kind: "voided" };
  }

  function call<T>(process: SimProcess, label: string, execute: () => Promise<T>, { repeatable = true } = {}): Promise<T> {
    return portCall(wire, process, {
      label: `${process.name}: target ${label}`,
      execute,
      unanswered: () => new Error("The target did not answer."),
      timeoutMs: 15_000,
      repeatable,
      delayMs: faults.hit("slow_target") ? random.magnitude(1000, 60_000) : 0,
    });
  }
}

/** Most results of a read are long enough to be stored once (decision 0121). The text differs, so that no result passes for another. */
function detailed(n: number): JsonObject {
  return n % 4 === 0 ? {} : { details: `${n} `.repeat(150) };
}

function atLength(asked: Json, answer: JsonObject): JsonObject {
  const n = isJsonObject(asked) ? asked["n"] : asked;
  return n === AT_LENGTH ? { ...answer, text: LONG_TEXT } : answer;
}
