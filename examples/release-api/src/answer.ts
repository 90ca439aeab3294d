import type { ServerResponse } from "node:http";

/** The answer to one request. The body is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a refusal: a code for programs, one sentence for people, and further fields. */
export function problem(status: number, error: string, message: string, more: object = {}, headers: Answer["headers"] = {}): Answer {
  return { status, body: { error, message, ...more }, headers };
}

/** Sends an answer. It does not wait for a client that has disconnected. */
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
