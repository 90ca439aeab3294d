import {
  attributes,
  codeOfWire,
  errorContent,
  failedResult,
  jsonParser,
  type Message,
  messageTypes,
  type Parsed,
  parser,
  type ResultError,
  ToolFailure,
  ToolResponse,
  ToolResult,
} from "@toolbus/contracts";
import { sendable } from "./result-message.ts";

/** An answer as the agent joins it. */
export interface ReadAnswer {
  readonly callId: string;
  /** The hash of the call's secret. The agent does not join an answer with another hash. */
  readonly secretHash: string;
  readonly result: ToolResult;
  readonly receipt?: string;
}

/**
 * Reads a message of `resultMessage` strictly, and a `grantStaleMessage` as a retryable failure. Also reads the bare body of a worker that does not
 * send our metadata attribute. Then the result is "ok", or an error according to its wire code. A result over our limits, from a worker that does not
 * know them, is truncated.
 */
export function readResult(message: Message): Parsed<ReadAnswer> {
  const read = readBody(message);
  if (!read.ok) return read;
  const { callId, result } = read.value;
  if (message.correlationId !== undefined && message.correlationId !== callId)
    return refused("", "names another call than its correlation id");
  const hash = message.attributes[attributes.secretHash];
  if (hash === undefined) return refused("", `lacks the attribute ${attributes.secretHash}`);
  const receipt = message.attributes[attributes.receipt];
  return { ok: true, value: { callId, secretHash: hash, result: sendable(result), ...(receipt === undefined ? {} : { receipt }) } };
}

type Answered = Parsed<{ readonly callId: string; readonly result: ToolResult }>;

const parseResponse = jsonParser(ToolResponse);
const parseFailure = jsonParser(ToolFailure);
const parseResult = parser(ToolResult);

function readBody(message: Message): Answered {
  switch (message.type) {
    case messageTypes.toolResult:
      return readResponse(message);
    case messageTypes.toolError:
    case messageTypes.grantStale:
      return readFailure(message);
    default:
      return refused("", `is not an answer but a "${message.type.slice(0, 80)}"`);
  }
}

function readResponse(message: Message): Answered {
  const body = parseResponse(message.body);
  if (!body.ok) return body;
  const { toolCallId: callId, content, isError } = body.value;
  const metadata = metadataOf(message);
  if (!metadata.ok) return metadata;
  if (metadata.value === null) {
    const bare: ToolResult = isError
      ? { ...failedResult("domain_error", content.slice(0, 2000)), content }
      : { status: "ok", content, isError: false };
    return { ok: true, value: { callId, result: bare } };
  }
  return checked(callId, { ...metadata.value, content, isError }, messageIn(content), message);
}

function readFailure(message: Message): Answered {
  const body = parseFailure(message.body);
  if (!body.ok) return body;
  const { toolCallId: callId, code, message: said, isRetryable } = body.value;
  const metadata = metadataOf(message);
  if (!metadata.ok) return metadata;
  if (metadata.value === null)
    return { ok: true, value: { callId, result: failedResult(codeOfWire(code), said, { retryable: isRetryable }) } };
  const read = checked(callId, { ...metadata.value, content: "", isError: true }, said, message);
  if (!read.ok) return read;
  const { result } = read.value;
  if (!result.error) return refused("/error", "is required for a failure");
  return { ok: true, value: { callId, result: { ...result, content: errorContent(result.error, result.truncated) } } };
}

/** Assembles the error from its parts, and checks the whole result. */
function checked(callId: string, candidate: Readonly<Record<string, unknown>>, said: string | undefined, message: Message): Answered {
  const details = parseJson(message.attributes[attributes.errorDetails]);
  const whole = isObject(candidate["error"])
    ? {
        ...candidate,
        error: { ...(said === undefined ? {} : { message: said }), ...candidate["error"], ...(details === undefined ? {} : { details }) },
      }
    : candidate;
  const parsed = parseResult(whole);
  if (!parsed.ok) return parsed;
  const result = parsed.value;
  if ((result.status === "ok") === result.isError) return refused("/status", `does not fit isError ${result.isError}`);
  return { ok: true, value: { callId, result: ordered(result) } };
}

/** Puts the fields of the error into the order in which `failedResult` writes them, because the content of an error is compared as text. */
function ordered(result: ToolResult): ToolResult {
  if (!result.error) return result;
  const { code, class: errorClass, message, ...rest } = result.error;
  const error: ResultError = { code, class: errorClass, message, ...rest };
  return { ...result, error };
}

function metadataOf(message: Message): Parsed<Readonly<Record<string, unknown>> | null> {
  const text = message.attributes[attributes.resultMetadata];
  if (text === undefined) return { ok: true, value: null };
  const value = parseJson(text);
  return isObject(value) ? { ok: true, value } : refused("", `has an attribute ${attributes.resultMetadata} that is not a JSON object`);
}

/** Returns the message inside the content of an error. */
function messageIn(content: string): string | undefined {
  if (!content.startsWith('{"error":')) return undefined;
  const value = parseJson(content);
  return isObject(value) && typeof value["message"] === "string" ? value["message"] : undefined;
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(
  path: string,
  message: string,
): { readonly ok: false; readonly problems: readonly { readonly path: string; readonly message: string }[] } {
  return { ok: false, problems: [{ path, message }] };
}
