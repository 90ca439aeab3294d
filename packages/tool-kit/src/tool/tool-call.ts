import { attributes, type CallMetadata, DEFAULT_AGENT, type Message, type ToolInvoke, type ToolResult } from "@toolbus/contracts";
import { modelUseCounter, type ModelUseCounter } from "./model-use.ts";
import { type ProgressReporter, progressReporter } from "./progress.ts";

/** One delivery of an invoke, with its parsed attributes. */
export interface ToolCall {
  readonly callId: string;
  readonly toolName: string;
  /** The version that the run sees. It is absent if the caller does not know one. */
  readonly toolVersion: string | undefined;
  /** The hash of the definition that the run sees. */
  readonly toolHash: string | undefined;
  readonly invoke: ToolInvoke;
  readonly message: Message;
  /** The number of times that the broker delivered this message, from 1. */
  readonly count: number;
  readonly dispatch: number;
  /** The latest time at which the call may begin, in milliseconds. If it is absent, there is no limit. */
  readonly notAfter: number | undefined;
  readonly grant: string | undefined;
  /** Aborts when the bus withdraws the delivery or the process stops. */
  readonly stopped: AbortSignal;
  readonly cancelled: AbortSignal;
  readonly progress: ProgressReporter;
  /** The usage of the models that the tool itself calls. */
  readonly modelUse: ModelUseCounter;
  /** The number of stored questions to people under this call, as far as this attempt knows. */
  readonly questions: { count: number };
  /** Removes the mark of this attempt, if it has one. It runs after the answer is published, so a crash before that counts. It never throws. */
  readonly mark: { end: () => Promise<void> };
  readonly startedAt: number;
  readonly startedMonotonic: number;
}

export interface CallParts {
  readonly message: Message;
  readonly invoke: ToolInvoke;
  readonly count: number;
  readonly stopped: AbortSignal;
  readonly cancelled: AbortSignal;
  /** The `source` of the worker's messages about the call. */
  readonly source: string;
  readonly announce: (message: Message) => Promise<void>;
  readonly clock: () => number;
  readonly monotonic: () => number;
}

export function toolCall({ message, invoke, count, stopped, cancelled, source, announce, clock, monotonic }: CallParts): ToolCall {
  const dispatch = wholeNumber(message.attributes[attributes.dispatch]) ?? 1;
  return {
    callId: invoke.toolCallId,
    toolName: invoke.toolName,
    toolVersion: message.attributes[attributes.toolVersion],
    toolHash: message.attributes[attributes.toolHash],
    invoke,
    message,
    count,
    dispatch,
    notAfter: wholeNumber(message.attributes[attributes.notAfter]),
    grant: message.attributes[attributes.grant],
    stopped,
    cancelled,
    progress: progressReporter({ invoke: message, call: invoke, dispatch, count, source, clock, announce }),
    modelUse: modelUseCounter(),
    questions: { count: 0 },
    mark: { end: async () => undefined },
    startedAt: clock(),
    startedMonotonic: monotonic(),
  };
}

/** Returns the result with the only record of this call. The record is for logs and audit, and contains no arguments or content. */
export function withRecord(call: ToolCall, result: ToolResult, attempt: number, monotonic: () => number): ToolResult {
  const latencyMs = Math.max(0, Math.round((monotonic() - call.startedMonotonic) * 10) / 10);
  const traceId = TRACEPARENT.exec(call.message.attributes[attributes.traceparent] ?? "")?.[1];
  const model = call.modelUse.total();
  const metadata: CallMetadata = {
    tool: call.toolName,
    agent: (call.message.attributes[attributes.agent] ?? DEFAULT_AGENT).slice(0, 64),
    startedAt: call.startedAt,
    endedAt: call.startedAt + Math.round(latencyMs),
    latencyMs,
    ok: !result.isError,
    ...(result.error === undefined ? {} : { errorClass: result.error.class }),
    ...(traceId === undefined ? {} : { traceId }),
    attempt,
    ...(model === undefined ? {} : { model }),
    ...(call.questions.count === 0 ? {} : { questions: call.questions.count }),
  };
  return { ...result, metadata };
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
