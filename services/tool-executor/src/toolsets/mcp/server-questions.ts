import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { Reply } from "@toolbus/tool-kit";
import type { SessionCall } from "./session-call.ts";
import { isRefusedRequest, refusalOf, ServerAsked, severalCalls } from "./refused-requests.ts";

/** A request of a server to its client, in the protocol of 2025-11-25. */
export interface ServerRequest {
  readonly method: string;
  readonly params: unknown;
  /** Aborts when the server withdraws the request, or when the connection ends. */
  readonly signal: AbortSignal;
}

/** The part of a call that a request of its server needs. */
type AskedCall = Pick<SessionCall, "ask" | "onProgress" | "signal">;

/** The result of `elicitation/create`. */
export type ElicitResult = { readonly action: "accept"; readonly content: JsonObject } | { readonly action: "decline" | "cancel" };

/**
 * Answers a request of a server. A form is a question to the requester of the one call that is under way. The request does not say for which call it
 * is. With several calls under way it could reach the wrong person, so it is declined. Every other request is refused with the reason, and the calls
 * under way report it.
 */
export async function answerRequest({ method, params, signal }: ServerRequest, waiting: ReadonlySet<AskedCall>): Promise<JsonObject> {
  const report = (message: string): void => waiting.forEach(({ onProgress }) => onProgress({ message }));
  if (method === "elicitation/create") {
    const [call] = waiting;
    if (call && waiting.size === 1) return { ...(await elicit(params, call, signal)) };
    report(severalCalls);
    return { action: "decline" };
  }
  const sentence = refusalOf(method);
  if (isRefusedRequest(method)) report(sentence);
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, sentence);
}

/**
 * Returns the input that a server asks for in its answer to a call (protocol of 2026-07-28), under the server's own keys. Throws `ServerAsked` if the
 * server asks for something that Toolbus does not have.
 */
export async function inputFor(
  requests: Readonly<Record<string, unknown>>,
  call: AskedCall,
  signal: AbortSignal,
): Promise<Readonly<Record<string, ElicitResult>>> {
  const answers: [string, ElicitResult][] = [];
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = parts(request);
    if (method !== "elicitation/create") {
      const sentence = refusalOf(typeof method === "string" ? method : "");
      call.onProgress({ message: sentence });
      throw new ServerAsked(sentence);
    }
    answers.push([key, await elicit(params, call, signal)]);
  }
  return Object.fromEntries(answers);
}

async function elicit(params: unknown, { ask, onProgress, signal }: AskedCall, withdrawn: AbortSignal): Promise<ElicitResult> {
  const { mode = "form", message, requestedSchema } = parts(params);
  if (mode !== "form" || typeof message !== "string" || !isObject(requestedSchema)) {
    onProgress({ message: refusalOf("elicitation/create", mode) });
    return { action: "decline" };
  }
  const { $schema: _, ...form } = requestedSchema;
  return resultOf(await ask({ message, form, signal: AbortSignal.any([signal, withdrawn]) }));
}

function resultOf(reply: Reply): ElicitResult {
  return reply.action === "accept" ? { action: "accept", content: reply.content } : { action: reply.action };
}

function parts(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return value !== undefined && isJsonObject(value as Json);
}
