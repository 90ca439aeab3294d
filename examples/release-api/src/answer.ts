import type { ServerResponse } from "node:http";

/** What one request is answered with; the body is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that says no: a code for programs, one sentence for people, and what else helps. */
export function problem(status: number, error: string, message: string, more: object = {}, headers: Answer["headers"] = {}): Answer {
  return { status, body: { error, message, ...more }, headers };
}

/** Sends an answer. A client that has gone away is not waited for. */
export function send(response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.destroyed) return;
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(text);
}
