import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Verdict } from "@toolbus/bus";
import {
  APPROVERS_NEEDED,
  type ApprovalPlanned,
  assessRisk,
  attributes,
  callIdOf,
  type JsonObject,
  type Message,
  message,
  messageIds,
  messageTypes,
  type Plan,
  type ToolResult,
  topics,
} from "@toolbus/contracts";
import { canonicalJson, generateSigningKey, planHash, signerOf } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { createLog, type Log, silentLog } from "@toolbus/telemetry";
import { type CallDelivery, invokeTool } from "../calls/invoke-pipeline.ts";
import { planCall } from "../calls/plan-call.ts";
import { readResult } from "../calls/read-result.ts";
import type { Executor, Toolset } from "../tool/toolset.ts";
import { invokeContext } from "../worker-options.ts";
import { workerTimings } from "../worker-timings.ts";
import { approvalsKeys, testGrant } from "./test-grant.ts";

export interface TestCallOptions {
  /** The id of an earlier call, to send this call once more, as an agent does after a crash. By default each call is a new one. */
  readonly callId?: string;
  /** The version of the tool. By default it is the one that new runs get. */
  readonly version?: string;
  /** Who approved a write. By default as many people as its tier needs. An empty list means that only a policy granted it. */
  readonly approvers?: readonly string[];
  /** The plan that people approved. By default it is the plan that the tool makes now. */
  readonly plan?: Plan;
}

/** The result of a call, as the agent gets it, with the id of the call. */
export type TestedCall = ToolResult & { readonly callId: string };

export interface ToolsetUnderTestOptions {
  /** The time of everything, in milliseconds since 1970. By default it is the time of the machine. */
  readonly clock?: () => number;
  /** Where the worker's log goes. By default warnings and errors go to standard error as text. Null drops them, for handlers that throw on purpose. */
  readonly log?: Log | null;
}

/** A worker of a toolset, for the tests of its author. */
export interface ToolsetUnderTest {
  /**
   * Calls a tool, as an agent does after approvals has granted the call. Failures of the tool and arguments that do not fit are results too. Rejects with
   * the reason if the worker gives no answer, for example because it refuses the grant, and with the name of a tool that the toolset lacks.
   */
  call(tool: string, args: JsonObject, options?: TestCallOptions): Promise<TestedCall>;
  /** Returns what people would be shown before they approve a write. Rejects with the reason if the tool makes no plan. */
  plan(tool: string, args: JsonObject, options?: Pick<TestCallOptions, "version">): Promise<Plan>;
}

/**
 * Puts the pipeline of a real worker around a toolset, without a broker and a state server: the check of arguments, the grant of a write, its plan, its
 * ledger, time-outs, retries and the form of results. The ledger is in memory and lasts as long as the object, so a repeated call finds what the first
 * one did. Nothing has to be stopped. A question of a tool to a person is never answered.
 */
export async function toolsetUnderTest(
  toolset: Toolset,
  { clock = Date.now, log = textLog(toolset.name) }: ToolsetUnderTestOptions = {},
): Promise<ToolsetUnderTest> {
  /** What the worker published last about a call, by topic and call id. */
  const published = new Map<string, Message>();
  const reasons = new Map<string, string>();
  const context = invokeContext(
    {
      toolset,
      state: memoryStore({ clock }),
      keys: approvalsKeys,
      signer: await signerOf(await generateSigningKey()),
      log: noting(reasons, log ?? silentLog),
      clock,
      monotonic: clock,
      random: (bytes) => randomBytes(bytes),
      timings: { ...workerTimings, retryMs: [1], turnMs: [1] },
    },
    { publish: async (one) => void published.set(`${one.topic} ${one.correlationId}`, one), announce: async () => undefined },
  );
  const dispatches = new Map<string, number>();
  const grants = new Map<string, string>();
  /** The arguments of the first call with an id. */
  const firstArguments = new Map<string, string>();
  let calls = 0;
  return { call, plan };

  async function call(tool: string, args: JsonObject, options: TestCallOptions = {}): Promise<TestedCall> {
    const executor = executorOf(tool, options.version);
    const callId = options.callId ?? nextId();
    const dispatch = (dispatches.get(callId) ?? 0) + 1;
    dispatches.set(callId, dispatch);
    reasons.delete(callId);
    const body = { toolCallId: callId, toolName: tool, arguments: canonicalJson(args), sessionId: CONVERSATION };
    const first = firstArguments.get(callId) ?? body.arguments;
    firstArguments.set(callId, first);
    const invoke = message({
      id: messageIds.invoke(callId, dispatch),
      topic: topics.invoke(toolset.name),
      type: messageTypes.toolInvoke,
      source: "/test",
      now: clock(),
      correlationId: callId,
      replyTo: ANSWERS,
      attributes: {
        [attributes.grant]: await grantFor(executor, args, callId, options),
        [attributes.callSecret]: "a secret of this test",
        [attributes.dispatch]: dispatch,
        [attributes.notAfter]: clock() + NOT_AFTER_MS,
        [attributes.toolVersion]: executor.definition.version,
        [attributes.toolHash]: executor.hash,
      },
      body,
    });
    const { answer, verdict } = await delivered(`${ANSWERS} ${callId}`, (delivery) => invokeTool(invoke, body, delivery, context));
    const read = answer && readResult(answer);
    if (read?.ok) return { ...read.value.result, callId };
    // The worker's reason has only hashes of the arguments.
    if (first !== body.arguments) throw new Error(`${tool} gave no answer: it has other arguments than the first call of this id.`);
    throw new Error(`${tool} gave no answer: ${why(callId, verdict)}.`);
  }

  async function plan(tool: string, args: JsonObject, { version }: Pick<TestCallOptions, "version"> = {}): Promise<Plan> {
    const executor = executorOf(tool, version);
    if (executor.definition.plan !== true) throw new Error(`${tool} makes no plan: it has no function "plan".`);
    const { plan: made, problem } = await planned(executor, args);
    if (made === undefined) throw new Error(`${tool} made no plan: ${problem}`);
    return made;
  }

  /** Asks for the plan of a write. `usable` is false if the arguments do not fit, so that a call of the write has an answer of its own. */
  async function planned({ definition, hash }: Executor, args: JsonObject) {
    const callId = nextId();
    const about = { toolVersion: definition.version, toolHash: hash, arguments: canonicalJson(args), sessionId: CONVERSATION };
    const body = { toolCallId: callId, toolName: definition.name, ...about };
    const parts = { topic: topics.plan(toolset.name), type: messageTypes.toolPlan, source: "/test", now: clock(), body };
    const question = message({ id: messageIds.other("plan", callId, 1), ...parts });
    const key = `${topics.approvalPlanned} ${callId}`;
    const { answer, verdict } = await delivered(key, (delivery) => planCall(question, body, delivery, context));
    const said: Partial<ApprovalPlanned> = answer ? (JSON.parse(answer.body) as ApprovalPlanned) : {};
    return { plan: said.plan, problem: said.problem ?? `${why(callId, verdict)}.`, usable: verdict.kind !== "unusable" };
  }

  /** Returns the grant of a write, or undefined for any other tool. A call that is sent once more has its grant already. */
  async function grantFor(executor: Executor, args: JsonObject, callId: string, options: TestCallOptions): Promise<string | undefined> {
    if (executor.definition.kind !== "write") return undefined;
    const { approvers, plan: approved } = options;
    const before = approvers === undefined && approved === undefined ? grants.get(callId) : undefined;
    const grant = before ?? (await signedGrant(executor, args, callId, options));
    grants.set(callId, grant);
    return grant;
  }

  /** Signs a grant. People have approved a plan if there is one, and a policy never has. */
  async function signedGrant(executor: Executor, args: JsonObject, callId: string, options: TestCallOptions): Promise<string> {
    const { definition } = executor;
    const { approvers } = options;
    const need = approvers?.length ?? APPROVERS_NEEDED[assessRisk(definition, args).tier];
    const shown = need > 0 && definition.plan === true ? (options.plan ?? (await shownTo(executor, args))) : null;
    const now = clock();
    const change = {
      ...(approvers ? { approvers: approvers.map((sub) => ({ sub, at: now, via: "http" as const })), need } : {}),
      ...(shown ? { plan: { round: 1, hash: planHash(shown) } } : {}),
    };
    return testGrant({ executor, toolset: toolset.name, args, callId, now, change });
  }

  /** Returns the plan that people would approve, or null if the worker answers the call without asking for its grant. */
  async function shownTo(executor: Executor, args: JsonObject): Promise<Plan | null> {
    const { plan: made, problem, usable } = await planned(executor, args);
    if (made === undefined && usable) throw new Error(`${executor.definition.name} made no plan: ${problem}`);
    return made ?? null;
  }

  /** Delivers a message until the worker has settled it, or as often as a broker would. */
  async function delivered(key: string, deliver: (delivery: CallDelivery) => Promise<Verdict>): Promise<Delivered> {
    const { signal } = new AbortController();
    let verdict = await deliver({ count: 1, signal });
    for (let count = 2; verdict.kind === "retry" && count <= MOST_DELIVERIES; count++) {
      await pause(verdict.after);
      verdict = await deliver({ count, signal });
    }
    const answer = published.get(key);
    published.delete(key);
    return { answer, verdict };
  }

  function why(callId: string, verdict: Verdict): string {
    return reasons.get(callId) ?? (verdict.kind === "ack" ? "nothing says why" : verdict.reason);
  }

  function executorOf(tool: string, version: string | undefined): Executor {
    const executor = toolset.find(tool, version);
    if (executor) return executor;
    const known = toolset.list().map(({ definition }) => `${definition.name}@${definition.version}`);
    throw new Error(
      `The toolset "${toolset.name}" has no ${tool}${version === undefined ? "" : `@${version}`}. It has ${known.join(", ")}.`,
    );
  }

  function nextId(): string {
    return callIdOf(RUN, Math.floor(calls / 1000) + 1, calls++ % 1000);
  }
}

interface Delivered {
  /** What the worker published under the key meanwhile. */
  readonly answer: Message | undefined;
  readonly verdict: Verdict;
}

const RUN = "rn_00_01JD0000000000000000000001";
const CONVERSATION = "cv_00_01JD0000000000000000000001";
const ANSWERS = topics.result("default");
const NOT_AFTER_MS = 900_000;
/** As many deliveries as a broker makes. */
const MOST_DELIVERIES = 10;

/** Returns a log of warnings and errors for people, such as why a handler threw. A result does not say that, because a model reads it. */
function textLog(toolset: string): Log {
  return createLog({ name: `worker.${toolset}`, level: "warn", format: "text" });
}

/** Returns a log that keeps why a call got no answer, and passes everything else on. The call rejects with what is kept. */
function noting(reasons: Map<string, string>, log: Log): Log {
  const note = (fields: object, text: string): void => {
    const { callId, reason, detail } = fields as { readonly callId?: string; readonly reason?: string; readonly detail?: string };
    if (callId === undefined || reason === undefined) return log.warn(fields, text);
    // The security event of a refused grant says more than the line about the dropped call, which comes later.
    if (!reasons.has(callId)) reasons.set(callId, detail ?? reason);
  };
  return {
    debug: (fields, text) => log.debug(fields, text),
    info: (fields, text) => log.info(fields, text),
    warn: note,
    error: (fields, text) => log.error(fields, text),
    child: (fields) => noting(reasons, log.child(fields)),
  };
}
