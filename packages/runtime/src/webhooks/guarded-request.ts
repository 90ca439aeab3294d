import type { OutgoingHttpHeaders } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { ANSWER_WITHIN_MS } from "./channel.ts";
import { type AllowedHosts, guardedLookup, isAllowedHost, NotPublic, type ResolveName, whyNotCalled } from "./network-guard.ts";

/** A request to an address that an operator configured. */
export interface GuardedRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  /** Absent for a GET. */
  readonly body?: string;
  readonly allowed: AllowedHosts;
  readonly signal: AbortSignal;
  /** The number of bytes of the answer to read. Absent if only the status matters. A longer answer is an error. */
  readonly readUpTo?: number;
  /** Resolves names. By default the system resolves them. */
  readonly resolve?: ResolveName | undefined;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/**
 * Sends a request to a public address, or to one that the operator allows. Uses a new connection without a proxy, and follows no redirect. Throws if
 * the address is forbidden or cannot be reached. `unreached` turns the error into a message.
 */
export async function guardedRequest({
  method,
  url,
  headers,
  body,
  allowed,
  signal,
  readUpTo = 0,
  resolve,
}: GuardedRequest): Promise<GuardedAnswer> {
  const refused = whyNotCalled(url, allowed);
  if (refused !== null) throw new NotPublic(refused);
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const { promise, resolve: answered, reject } = Promise.withResolvers<GuardedAnswer>();
  const sent = request(
    url,
    {
      method,
      agent: false,
      lookup: guardedLookup(isAllowedHost(url, allowed), resolve),
      signal,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
    },
    (answer) => {
      const { statusCode: status = 0, headers: given } = answer;
      if (readUpTo === 0) {
        answered({ status, headers: given, text: "" });
        answer.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= readUpTo) chunks.push(chunk);
        else answer.destroy(new Error(`The answer is over ${readUpTo} bytes.`));
      });
      answer.on("end", () => answered({ status, headers: given, text: Buffer.concat(chunks).toString() }));
      answer.on("error", reject);
    },
  );
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

/** Returns why a target could not be reached, without anything secret. `signal` is the signal of the attempt. */
export function unreached(error: unknown, signal: AbortSignal): string {
  if (error instanceof NotPublic) return error.message;
  if (signal.aborted)
    return isTimeout(signal.reason) ? `it did not answer within ${ANSWER_WITHIN_MS / 1000} s` : "the service stopped meanwhile";
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown fault";
  return `it could not be reached (${code})`;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}
