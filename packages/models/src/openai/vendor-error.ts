import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { connectionCause } from "../adapter/connection-error.ts";
import {
  AuthenticationError,
  ContextOverflow,
  type ModelError,
  NetworkError,
  ProviderError,
  RateLimitError,
  ValidationError,
} from "../model-errors.ts";
import { retryAfterMs } from "../adapter/retry-after.ts";
import { vendorWords } from "../adapter/vendor-words.ts";
import { NoAnswer } from "./post-json.ts";
import { statusOfCode } from "./status-of-code.ts";
import { BrokenAnswer, type HeaderOf } from "./streamed-answer.ts";

/** The remedies for failures of this vendor. Each is a sentence. */
export interface Remedies {
  /** The vendor's name in texts. */
  readonly title: string;
  readonly key: string;
  readonly model: string;
  readonly credit: string;
  readonly unreachable: string;
  /** The remedy if a server other than the vendor's answers. */
  readonly address: string;
}

/** The request that failed. */
export interface Asked {
  readonly remedies: Remedies;
  readonly model: string;
  readonly apiKey: string | null;
  readonly url: URL;
  /** The tools in the order in which they were sent, by their own names. */
  readonly toolNames: readonly string[];
}

/** The vendor's description of a failure, from any of the known forms. */
interface Said {
  readonly status: number;
  readonly code: string;
  readonly param: string;
  readonly message: string;
  readonly header: HeaderOf;
  readonly moderated: boolean;
}

/** Returns the error for a request that got no answer. An error that the network did not cause is a bug and is returned unchanged. */
export function unanswered(error: unknown, { remedies: { title, unreachable }, apiKey, url }: Asked): unknown {
  if (!(error instanceof NoAnswer)) return error;
  const cause = connectionCause(error, apiKey);
  return new NetworkError(`${title} could not be reached at ${url.host} (${cause}). ${unreachable}`, { cause: error });
}

/** Returns the error for an answer with another status than success. `text` is the beginning of its body. */
export function refusedRequest(status: number, text: string, header: HeaderOf, asked: Asked): ModelError {
  const body = parsed(text);
  const error = isJsonObject(body) ? (body["error"] ?? body) : undefined;
  return saidError(saidIn(error, status, header), asked);
}

/**
 * Returns the error for a connection that broke in the middle of the stream. A limit that was reached, and the error of whoever listens, are returned
 * unchanged.
 */
export function brokenOff(error: unknown, { remedies: { title }, apiKey }: Asked): unknown {
  if (!(error instanceof BrokenAnswer)) return error;
  const cause = connectionCause(error, apiKey);
  return new NetworkError(
    `The connection to ${title.replace(/^The /, "the ")} broke in the middle of its reply (${cause}). The reply so far is dropped.`,
    { cause: error },
  );
}

/** Returns the error for a failure inside a stream. `error` is an object or a text. */
export function streamError(error: Json, header: HeaderOf, asked: Asked): ModelError {
  const { code = null, type = null } = isJsonObject(error) ? error : {};
  const status = statusOfCode(code ?? type) ?? statusOfCode(type) ?? 500;
  return saidError(saidIn(error, status, header), asked);
}

/** Returns the error for a successful answer that is not a stream. If the body has no `error`, the answer is probably a page of another server. */
export function notEvents(text: string, header: HeaderOf, asked: Asked): ModelError {
  const body = parsed(text);
  if (isJsonObject(body) && body["error"]) return streamError(body["error"], header, asked);
  const type = words(header("content-type") ?? "");
  const what = type === "" ? "something without a content type" : type;
  const { title, address } = asked.remedies;
  return new ProviderError(`${title} should answer a stream of events, but answered ${what}. ${address}`, false);
}

/** Returns the error for a stream that ended without an error but also without the end of the turn. */
export function unfinished({ remedies: { title } }: Asked): NetworkError {
  return new NetworkError(`${title}'s reply ended before it was done. The reply so far is dropped.`);
}

/** Returns the error for an event that cannot be parsed. The rest of the stream is useless without this event. */
export function unreadable({ remedies: { title } }: Asked): ProviderError {
  return new ProviderError(`${title} sent an event whose JSON is broken. The reply so far is dropped.`, true);
}

/** Returns the error for a turn that the server gave up, according to its ending. */
export function gaveUp({ remedies: { title } }: Asked): ProviderError {
  return new ProviderError(`${title} gave up in the middle of its reply. The reply so far is dropped.`, true);
}

/** Returns the error for a turn that ended for an unknown reason. */
export function unknownEnding(reason: string, { remedies: { title } }: Asked): ProviderError {
  return new ProviderError(
    `${title} ended its reply for a reason that this version does not know: "${words(reason)}". The reply is dropped; look for a newer version.`,
    false,
  );
}

/** Reads a failure from the vendor's error. `error` is the member of this name, or the whole body if it has no such member. */
function saidIn(error: Json | undefined, status: number, header: HeaderOf): Said {
  const inner: JsonObject = isJsonObject(error ?? null) ? (error as JsonObject) : { message: error ?? "" };
  const metadata = isJsonObject(inner["metadata"]) ? inner["metadata"] : {};
  const code = [inner["code"], inner["type"]].find((value) => typeof value === "string") ?? "";
  const message = textOf(inner["message"] ?? inner["detail"]);
  // OpenRouter passes on the error of the provider behind it.
  const raw = typeof metadata["raw"] === "string" ? `${message}: ${metadata["raw"]}` : message;
  const moderated = Array.isArray(metadata["reasons"]);
  return { status, code: String(code), param: textOf(inner["param"]), message: raw, header, moderated };
}

function saidError(said: Said, asked: Asked): ModelError {
  const { status, code, message, header } = said;
  const { title, key, model, credit, address } = asked.remedies;
  const where = `(${[String(status), ...requestId(header)].join(", ")})`;
  const quote = quoted(message, asked.apiKey);
  const wait = retryAfterMs(header);
  if (/insufficient_quota|billing/.test(code))
    return new AuthenticationError(`${title} has used up this account's quota for now ${where}${quote}. ${credit}`);
  if (isOverflow(said))
    return new ContextOverflow(
      `The prompt is longer than ${asked.model} of ${title} accepts ${where}${quote}. A shorter conversation may succeed.`,
    );
  if (isModelAbsent(said))
    return new ValidationError(`${title} does not have ${asked.model}, or not with tools or for this key ${where}${quote}. ${model}`);
  if (said.moderated) return new ValidationError(`${title} refused the prompt as a breach of its rules ${where}${quote}. Rephrase it.`);
  switch (status) {
    case 401:
      // The message omits the vendor's text, because it may repeat the key.
      return new AuthenticationError(
        asked.apiKey === null
          ? `${title} needs a key, and none is set ${where}. ${key}`
          : `${title} does not accept the key ${where}. ${key}`,
      );
    case 403:
      return new AuthenticationError(`${title} does not let this key use ${asked.model} ${where}${quote}. ${key}`);
    case 402:
      if (wait !== null) return new RateLimitError(`${title} has too many requests of this account in progress ${where}${quote}.`, wait);
      return new AuthenticationError(`${title} says that the account's credit is used up ${where}${quote}. ${credit}`);
    case 429:
      return new RateLimitError(`${title} accepts no more requests or tokens for now ${where}${quote}.`, wait);
    case 400:
    case 422:
      return new ValidationError(`${title} refuses the request ${where}${quote}. ${schemaHint(said, asked)}`);
    case 408:
    case 409:
    case 424:
      return new ProviderError(`${title} gave up on the request ${where}${quote}.`, true, { retryAfterMs: wait });
    default:
      if (status >= 500) return new ProviderError(`${title} failed or is overloaded ${where}${quote}.`, true, { retryAfterMs: wait });
      return new ProviderError(`${title} does not accept the request ${where}${quote}. ${address}`, false);
  }
}

function isOverflow({ status, code, message }: Said): boolean {
  if (status === 413 || code === "context_length_exceeded") return true;
  return (
    status === 400 && /context (length|window|size)|prompt is too long|maximum.{0,40}(context|input|prompt).{0,40}tokens/i.test(message)
  );
}

/**
 * Returns true if the vendor does not have the model. OpenRouter reports this with the status of a malformed request, and so does Ollama for a model
 * without tools.
 */
function isModelAbsent({ status, code, message }: Said): boolean {
  if (status === 404 || code === "model_not_found") return true;
  return status === 400 && /not a valid model|does not support tools|\bmodel\b.{0,100}(not found|does not exist)/i.test(message);
}

/** Returns the advice after a refusal. Most refusals are about a tool's schema, so the advice names the tool if the vendor does. */
function schemaHint({ param, message }: Said, { toolNames }: Asked): string {
  const place = /tools(?:\[|\.)(\d+)/.exec(`${param} ${message}`);
  const named = place === null ? /function '([^']{1,64})'/.exec(message)?.[1] : toolNames[Number(place[1])];
  const first = "A tool's schema is the first suspect, the conversation the second";
  if (named === undefined)
    return `${first}: "toolbus tools list" names the tools, and "toolbus tools show <tool>" says what is passed on of one.`;
  return `It points at the tool "${words(named)}": check its schema; "toolbus tools show ${words(named)}" says what is passed on of it.`;
}

/**
 * Returns the vendor's own text in quotation marks. The result omits keys. It also omits the parts of the request that some servers (vLLM) repeat
 * after this text.
 */
function quoted(message: string, secret: string | null): string {
  const [own = ""] = message.split(/['"]?\binput['"]?\s*:/, 1);
  const text = vendorWords(own, { secret }).replaceAll('"', "'");
  return text === "" ? "" : `: "${text.replace(/[.\s]+$/, "")}"`;
}

function requestId(header: HeaderOf): readonly string[] {
  const id = header("x-request-id") ?? header("x-generation-id") ?? "";
  return id === "" ? [] : [`request ${words(id)}`];
}

function words(text: string): string {
  return vendorWords(text.slice(0, 80), { secret: null });
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
