import type { Disposition, MessageBus } from "@toolbus/bus";
import {
  attributes,
  callIdOf,
  type JsonObject,
  type Message,
  message,
  messageIds,
  messageTypes,
  newConversationId,
  newRunId,
  type ToolInvoke,
  type ToolResult,
  topics,
} from "@toolbus/contracts";
import { canonicalJson, drawnRandom, secretHash } from "@toolbus/grants";
import { type Executor, readResult } from "@toolbus/tool-kit";
import { TOOLSET } from "./noop-tools.ts";

/** The name of the agent for which the client calls. */
export const CALL_CLIENT = "bench";
const NOT_AFTER_MS = 900_000;

/** The parts of a call that are known before the call is sent. The grant of the call must name them. */
export interface DraftCall {
  readonly callId: string;
  readonly runId: string;
  /** The arguments as canonical JSON. */
  readonly text: string;
  readonly now: number;
}

export interface CallClient {
  /** Sends one invoke and resolves with its result. Rejects if the result is an error, because errors must not be measured as calls. */
  call(executor: Executor, args: JsonObject, grantFor?: (draft: DraftCall) => Promise<string>): Promise<ToolResult>;
}

interface Waiting {
  readonly secretHash: string;
  readonly joined: (result: ToolResult) => void;
}

/**
 * Makes a client that does the agent's part of a tool call. The client sends an invoke with all its attributes. It matches the result to the call by
 * the call id and the hash of the call's secret.
 */
export async function callClient({
  bus,
  shards,
  clock,
  concurrency = 64,
  toolset = TOOLSET,
}: {
  readonly bus: MessageBus;
  readonly shards: number;
  readonly clock: () => number;
  /** How many results the client handles at the same time. */
  readonly concurrency?: number;
  /** The toolset whose worker is called. */
  readonly toolset?: string;
}): Promise<CallClient> {
  const random = drawnRandom();
  const mint = () => ({ now: clock(), random: random(32) });
  const sessionId = newConversationId(mint(), shards);
  const waiting = new Map<string, Waiting>();
  let runId = newRunId(mint(), sessionId);
  let sent = 0;
  await bus.consume(topics.result(CALL_CLIENT), ({ message: answer }) => join(answer), { concurrency });

  return {
    async call(executor, args, grantFor) {
      const draft = { callId: nextCallId(), runId, text: canonicalJson(args), now: clock() };
      const secret = Buffer.from(random(16)).toString("base64url");
      const { promise, resolve } = Promise.withResolvers<ToolResult>();
      // The call is registered before it is published, because the result may arrive before the publish resolves.
      waiting.set(draft.callId, { secretHash: secretHash(secret), joined: resolve });
      await bus.publish(invokeOf(executor, draft, secret, await grantFor?.(draft)));
      const result = await promise;
      if (result.isError) throw new Error(`a call failed: ${result.content}`);
      return result;
    },
  };

  /** Returns the next call id. Begins a new run when the old run has no free call numbers left. */
  function nextCallId(): string {
    const n = sent++ % 1_000_000;
    if (n === 0) runId = newRunId(mint(), sessionId);
    return callIdOf(runId, Math.floor(n / 1000), n % 1000);
  }

  function invokeOf({ definition, hash }: Executor, { callId, text, now }: DraftCall, secret: string, grant: string | undefined): Message {
    const body: ToolInvoke = { toolCallId: callId, toolName: definition.name, arguments: text, sessionId };
    return message({
      id: messageIds.invoke(callId, 1),
      topic: topics.invoke(toolset),
      type: messageTypes.toolInvoke,
      source: `/agents/${CALL_CLIENT}`,
      now,
      correlationId: callId,
      replyTo: topics.result(CALL_CLIENT),
      attributes: {
        [attributes.notAfter]: now + NOT_AFTER_MS,
        [attributes.dispatch]: 1,
        [attributes.toolVersion]: definition.version,
        [attributes.toolHash]: hash,
        [attributes.callSecret]: secret,
        [attributes.grant]: grant,
        [attributes.agent]: CALL_CLIENT,
      },
      body,
    });
  }

  async function join(answer: Message): Promise<Disposition> {
    const read = readResult(answer);
    if (!read.ok) return { kind: "dead-letter", reason: "the result cannot be read" };
    const { callId, result } = read.value;
    const call = waiting.get(callId);
    if (call?.secretHash === read.value.secretHash) {
      waiting.delete(callId);
      call.joined(result);
    }
    return { kind: "ack" };
  }
}
