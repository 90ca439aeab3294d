import { type ServerResponse, STATUS_CODES } from "node:http";

/** The answer to one request. */
export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set if this request changed the shop: the name of the table that has a new row. */
  readonly effect?: string;
}

/** Returns a refusal as problem+json (RFC 9457): a code for programs, one sentence for people, and further fields. */
export function problem(status: number, code: string, detail: string, more: object = {}, headers: Answer["headers"] = {}): Answer {
  return {
    status,
    body: { type: "about:blank", title: STATUS_CODES[status] ?? "Error", status, code, detail, ...more },
    headers: { "content-type": "application/problem+json; charset=utf-8", ...headers },
  };
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
