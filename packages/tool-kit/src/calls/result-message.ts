import {
  attributes,
  DEFAULT_AGENT,
  errorContent,
  errorRow,
  type Json,
  type Message,
  message,
  messageIds,
  messageTypes,
  type ResultError,
  type ToolInvoke,
  type ToolResult,
  topics,
} from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { asciiJson } from "../tool/ascii-json.ts";
import { boundContent } from "../tool/tool-output.ts";
import { boundedDetails, cleanText } from "../tool/tool-problem.ts";

export interface AnswerParts {
  /** The message that is answered. */
  readonly invoke: Message;
  readonly call: Pick<ToolInvoke, "toolCallId" | "toolName">;
  readonly dispatch: number;
  /** The `source` of the answer. */
  readonly source: string;
  /** The time of the answer, in milliseconds. */
  readonly now: number;
}

/**
 * Returns the answer to an invoke. Its body is exactly a `ToolResponse`, or a `ToolFailure` if Toolbus or the handler failed. Everything else is sent
 * as attributes. The answer contains the hash of the invoke's secret, so that the agent does not join an answer from someone who never saw the
 * invoke. `readResult` returns `sendable(result)`.
 */
export function resultMessage(parts: AnswerParts & { readonly result: ToolResult; readonly receipt?: string | undefined }): Message {
  const { toolCallId, toolName } = parts.call;
  const result = sendable(parts.result);
  const { error } = result;
  const failure = error !== undefined && isFailure(result, error);
  return answer(parts, {
    type: failure ? messageTypes.toolError : messageTypes.toolResult,
    body: failure
      ? { toolCallId, toolName, code: errorRow(error.code).wireCode, message: error.message, isRetryable: error.retryable }
      : { toolCallId, toolName, content: result.content, isError: result.isError },
    attributes: {
      [attributes.errorClass]: error?.class,
      [attributes.errorDetails]: error?.details === undefined ? undefined : asciiJson(error.details),
      [attributes.resultMetadata]: asciiJson(metadataOf(result)),
      [attributes.receipt]: parts.receipt,
    },
  });
}

/** Returns the answer to a write whose grant is stale, so that the agent asks for another grant. */
export function grantStaleMessage(parts: AnswerParts & { readonly reason: string; readonly receipt?: string | undefined }): Message {
  const { toolCallId, toolName } = parts.call;
  const body = {
    toolCallId,
    toolName,
    code: "grant_stale",
    message: `The grant is stale (${parts.reason}); ask for another.`,
    isRetryable: true,
  };
  return answer(parts, { type: messageTypes.grantStale, body, attributes: { [attributes.receipt]: parts.receipt } });
}

/**
 * Returns a result in the form that is sent, with content and details within their limits. The content of the pipeline's results is already within
 * them.
 */
export function sendable(result: ToolResult): ToolResult {
  const { error } = result;
  if (error) {
    const { details, ...rest } = error;
    const bounded: ResultError = {
      ...rest,
      message: cleanText(error.message, 4000),
      ...(details === undefined ? {} : { details: [...boundedDetails(details)] }),
    };
    const content = result.content === errorContent(error, result.truncated) ? errorContent(bounded, result.truncated) : result.content;
    return { ...result, error: bounded, ...boundContent(content) };
  }
  return { ...result, ...boundContent(result.content) };
}

/** Returns whether the answer is a failure. The reader rebuilds a failure's content from its error, so the content need not be sent. */
function isFailure(result: ToolResult, error: ResultError): boolean {
  return FAILURE_CODES.has(error.code) && result.isError && result.content === errorContent(error, result.truncated);
}

const FAILURE_CODES: ReadonlySet<string> = new Set([
  "tool_not_found",
  "invalid_arguments",
  "timeout",
  "execution_failed",
  "result_too_large",
]);

/** Returns everything about a result that its body does not contain. */
function metadataOf(result: ToolResult): object {
  const { status, error, truncated, metadata, content, contentRef, media } = result;
  return { status, error: error && errorMetadata(error, content, truncated), truncated, contentRef, media, metadata };
}

function errorMetadata(error: ResultError, content: string, truncated: boolean | undefined): object {
  const { code, class: errorClass, retryable, retryAfter } = error;
  // The body already contains the message if the content was made from the error.
  const message = content === errorContent(error, truncated) ? undefined : error.message;
  return { code, class: errorClass, message, retryable, retryAfter };
}

interface Answer {
  readonly type: string;
  readonly body: Json;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

function answer(parts: AnswerParts, { type, body, attributes: own }: Answer): Message {
  const { invoke, call, dispatch, source, now } = parts;
  const secret = invoke.attributes[attributes.callSecret];
  return message({
    id: messageIds.result(call.toolCallId, dispatch),
    topic: topics.result(replyAgent(invoke.replyTo)),
    type,
    source,
    now,
    correlationId: call.toolCallId,
    attributes: {
      [attributes.secretHash]: secret === undefined ? undefined : secretHash(secret),
      [attributes.dispatch]: dispatch,
      [attributes.traceparent]: invoke.attributes[attributes.traceparent],
      [attributes.tracestate]: invoke.attributes[attributes.tracestate],
      ...own,
    },
    body,
  });
}

/** Returns the agent that receives the answer. An invoke may name only an agent's result queue, because a worker is not a relay for other topics. */
export function replyAgent(replyTo: string | undefined): string {
  return RESULT_TOPIC.exec(replyTo ?? "")?.[1] ?? DEFAULT_AGENT;
}

const RESULT_TOPIC = /^tool\.result\.([A-Za-z0-9_-]{1,64})$/;
