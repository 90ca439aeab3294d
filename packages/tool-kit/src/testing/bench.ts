import { randomBytes } from "node:crypto";
import {
  attributes,
  callIdOf,
  type Era,
  type GrantClaims,
  HOME_SHARD,
  type Json,
  type JsonObject,
  keys as storeKeys,
  type LedgerRow,
  type Message,
  message,
  messageIds,
  messageTypes,
  parseLedgerRow,
  type ToolInvoke,
  topics,
} from "@toolbus/contracts";
import type { Verdict } from "@toolbus/bus";
import { canonicalJson, generateSigningKey, publicKeySet, signDocument, signerOf, staticKeySet } from "@toolbus/grants";
import { type Change, memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { type Log, silentLog } from "@toolbus/telemetry";
import { invokeTool } from "../calls/invoke-pipeline.ts";
import type { InvokeContext } from "../calls/invoke-context.ts";
import { type ReadAnswer, readResult } from "../calls/read-result.ts";
import type { Protection } from "../protection/protection.ts";
import type { ToolFlags } from "../registry/tool-flags.ts";
import type { Executor, Toolset } from "../tool/toolset.ts";
import { approvalsKeys, approvalsSigner, testGrant } from "./test-grant.ts";
import { workerTimings, type WorkerTimings } from "../worker-timings.ts";
import { invokeContext } from "../worker-options.ts";

const receiptKey = await generateSigningKey();
const receiptSigner = await signerOf(receiptKey);

export const receiptKeys = staticKeySet(publicKeySet([receiptKey]));
export { approvalsKeys, approvalsSigner, receiptSigner };

/** A worker process of the tests. After it has been killed, it does nothing more. */
export interface TestProcess {
  readonly context: InvokeContext;
  readonly answers: Message[];
  /** The broadcasts that were sent. */
  readonly announced: Message[];
  /** Delivers a message. `count` is the broker's delivery count. */
  deliver(message: Message, count?: number, signal?: AbortSignal): Promise<Verdict>;
  /** Returns the answers as the agent reads them. */
  read(): readonly ReadAnswer[];
  /** Kills the process immediately, so that the store receives nothing more from it. */
  kill(): void;
}

export interface ProcessOptions {
  /** The process dies right after this step was committed, and receives no further reply. */
  readonly dieAfter?: string;
  /** The first reply to this step is lost, although the step was committed. */
  readonly loseReplyOf?: string;
  /** Delays each step of the process until the promise resolves. */
  readonly beforeCommit?: (step: string) => Promise<void> | undefined;
  /** The store refuses this step once, because it has lost writes. `onRefused` is called before the process learns of the refusal. */
  readonly refuseOnce?: string;
  readonly onRefused?: () => void;
  /** Called with each step of the process, before the process learns that the step was committed. */
  readonly afterCommit?: (step: string) => void;
  readonly ownersDeadBefore?: number;
  readonly timings?: WorkerTimings;
  readonly flags?: ToolFlags;
  readonly protection?: Protection;
  readonly log?: Log;
  /** The losses of the store that this process noticed. The value for a shard is the time at which the process had last seen the lost commits. */
  readonly losses?: ReadonlyMap<string, number>;
  /** The toolset that the process serves, if it is not the bench's. A worker of an older or newer deployment serves another one. */
  readonly serves?: Toolset;
  readonly publish?: (message: Message) => Promise<void>;
}

export interface Bench {
  readonly state: StateStore;
  readonly clock: { now: number };
  /** The names of the committed steps, in order. */
  readonly steps: string[];
  process(options?: ProcessOptions): TestProcess & { readonly died: Promise<void> };
  callId(index?: number): string;
  invoke(tool: string, args: JsonObject, options?: InvokeOptions): Promise<Message>;
  row(callId?: string): Promise<LedgerRow | null>;
  security(): Promise<readonly Json[]>;
  stopCall(callId?: string): Promise<void>;
  /** Raises the era to 2, or stores the given era. */
  raiseEra(era?: Partial<Era>): Promise<void>;
}

export interface InvokeOptions {
  readonly index?: number;
  readonly dispatch?: number;
  readonly notAfter?: number;
  readonly replyTo?: string;
  readonly secret?: string;
  /** The calling run. The default is a run from 2016. */
  readonly run?: string;
  /** Claims that differ from those of the genuine grant, or no valid grant at all. */
  readonly grant?: Partial<GrantClaims> | "none" | "garbage";
  /** The text of the arguments, if it is not the canonical text. */
  readonly text?: string;
  /** The version and the hash that the run sees, if it names them. */
  readonly version?: string;
  readonly hash?: string;
}

const RUN = "rn_03_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const CONVERSATION = "cv_03_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const START = 1_800_000_000_000;

/** Sets up a toolset with a store in memory, and a clock that only tests move. */
export function bench(toolset: Toolset): Bench {
  const clock = { now: START };
  const state = memoryStore({ clock: () => clock.now });
  const steps: string[] = [];
  let revision = 0;
  const callId = (index = 0): string => callIdOf(RUN, 1, index);
  return {
    state,
    clock,
    steps,
    callId,
    process(options = {}) {
      const { promise: died, resolve: die } = Promise.withResolvers<void>();
      const answers: Message[] = [];
      const announced: Message[] = [];
      const life = { over: false };
      const store = faulty(state, steps, options, life, die);
      const publish = options.publish ?? (async (answer: Message) => void answers.push(answer));
      const context = invokeContext(
        {
          toolset: options.serves ?? toolset,
          state: store,
          keys: approvalsKeys,
          signer: receiptSigner,
          log: options.log ?? silentLog,
          clock: () => clock.now,
          monotonic: () => clock.now,
          random: (bytes) => randomBytes(bytes),
          // A test decides itself when it delivers a waiting write again.
          timings: options.timings ?? { ...workerTimings, turnHereMs: [] },
          ...(options.flags ? { flags: options.flags } : {}),
          ...(options.protection ? { protection: options.protection } : {}),
          losses: { seenAt: (shard) => options.losses?.get(shard) },
        },
        { publish, announce: async (message) => void announced.push(message) },
      );
      return {
        context,
        answers,
        announced,
        died,
        deliver: (sent, count = 1, signal = new AbortController().signal) =>
          invokeTool(sent, JSON.parse(sent.body) as ToolInvoke, { count, signal }, context),
        read: () => answers.map(readOrThrow),
        kill: () => void (life.over = true),
      };
    },
    async invoke(tool, args, options = {}) {
      const {
        index = 0,
        run = RUN,
        dispatch = 1,
        secret = "secret",
        notAfter,
        replyTo = topics.result("tester"),
        text = canonicalJson(args),
        version,
        hash,
      } = options;
      const id = callIdOf(run, 1, index);
      return message({
        id: messageIds.invoke(id, dispatch),
        topic: topics.invoke(toolset.name),
        type: messageTypes.toolInvoke,
        source: "agent.tester",
        now: clock.now,
        correlationId: id,
        replyTo,
        attributes: {
          [attributes.dispatch]: dispatch,
          [attributes.callSecret]: secret,
          [attributes.agent]: "tester",
          [attributes.notAfter]: notAfter,
          [attributes.toolVersion]: version,
          [attributes.toolHash]: hash,
          [attributes.traceparent]: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
          [attributes.grant]: await grantText(toolset.find(tool, version), toolset.name, args, id, clock.now, options.grant ?? {}),
        },
        body: { toolCallId: id, toolName: tool, arguments: text, sessionId: CONVERSATION },
      });
    },
    async row(id = callId()) {
      const { documents } = await state.read([storeKeys.ledger(toolset.name, id)]);
      if (!documents[0]) return null;
      const parsed = parseLedgerRow(documents[0].value);
      if (!parsed.ok) throw new Error("the row cannot be read");
      return parsed.value;
    },
    async security() {
      return (await state.range(storeKeys.security("03", `worker.${toolset.name}`), { after: 0, limit: 100 })).map(({ value }) => value);
    },
    async stopCall(id = callId()) {
      const key = storeKeys.stop(id);
      await state.commit("03", {
        op: `stop:${id}`,
        guards: [{ key, version: 0 }],
        put: [{ key, value: { callId: id, at: clock.now, reason: "cancelled" } }],
      });
    },
    async raiseEra(era = {}) {
      const key = storeKeys.era();
      const { documents } = await state.read([key]);
      const content: Era = { era: 2, raisedAt: clock.now, reason: "test", ...era };
      const version = documents[0]?.version ?? 0;
      const value = await signDocument("tb-era+jwt", { key, revision: ++revision, content }, approvalsSigner);
      await state.commit(HOME_SHARD, { op: `era:${content.era}:${version}`, guards: [{ key, version }], put: [{ key, value }] });
    },
  };
}

export function readOrThrow(answer: Message): ReadAnswer {
  const read = readResult(answer);
  if (!read.ok) throw new Error(`${read.problems[0]?.path} ${read.problems[0]?.message}`);
  return read.value;
}

async function grantText(
  executor: Executor | undefined,
  toolset: string,
  args: JsonObject,
  callId: string,
  now: number,
  change: Partial<GrantClaims> | "none" | "garbage",
): Promise<string | undefined> {
  if (change === "none" || executor?.tool.kind !== "write") return undefined;
  if (change === "garbage") return "not.a.grant";
  return testGrant({ executor, toolset, args, callId, now, change });
}

/** Returns the store as one process sees it, with the faults of that process: its death, or a lost reply. */
function faulty(
  state: StateStore,
  steps: string[],
  { dieAfter, loseReplyOf, refuseOnce, onRefused, beforeCommit, afterCommit, ownersDeadBefore }: ProcessOptions,
  life: { over: boolean },
  die: () => void,
): StateStore {
  let lose = loseReplyOf !== undefined;
  let refuse = refuseOnce;
  const alive = async <T>(reply: Promise<T>): Promise<T> => (life.over ? new Promise<T>(() => undefined) : reply);
  return {
    ...state,
    ownersDeadBefore: ownersDeadBefore ?? state.ownersDeadBefore,
    read: (keys) => alive(life.over ? state.read([]) : state.read(keys)),
    async commit(shard: string, change: Change) {
      if (life.over) return new Promise(() => undefined);
      const step = change.op.split(":")[0] ?? "";
      await beforeCommit?.(step);
      if (step === refuse) {
        refuse = undefined;
        onRefused?.();
        return { outcome: "stale", rolledBack: true, now: (await state.read([])).now, commit: 1 };
      }
      const reply = await state.commit(shard, change);
      if (reply.outcome === "ok") steps.push(step);
      afterCommit?.(step);
      if (step === dieAfter) {
        life.over = true;
        die();
        return new Promise(() => undefined);
      }
      if (lose && step === loseReplyOf) {
        lose = false;
        throw new StoreUnavailable("The reply was lost.");
      }
      return reply;
    },
  };
}
