import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@toolbus/contracts";

/** A call of a method of Slack. */
export interface SlackCall {
  readonly method: string;
  readonly token: string | undefined;
  readonly body: JsonObject;
}

/** What Slack answers to a call. By default it accepts the call. */
export interface SlackReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  /** Makes the call wait for this. */
  readonly after?: Promise<unknown>;
}

export const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

/**
 * Starts a real HTTP server that behaves as Slack does. `reply` returns the answer to a call. `count` is the number of the call among the calls of
 * its method.
 */
export async function slackServer(reply: (call: SlackCall, count: number) => SlackReply = () => ({})) {
  const calls: SlackCall[] = [];
  let posted = 0;
  const server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const call = {
        method: request.url?.split("/").at(-1) ?? "",
        token: request.headers.authorization,
        body: JSON.parse(Buffer.concat(chunks).toString()) as JsonObject,
      };
      calls.push(call);
      const { status = 200, headers = {}, body, after } = reply(call, calls.filter(({ method }) => method === call.method).length);
      const named = call.method === "chat.postMessage" ? { channel: call.body["channel"] ?? "", ts: `1700000000.00000${++posted}` } : {};
      void Promise.resolve(after).then(() => {
        answer.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body ?? { ok: true, ...named }));
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    apiUrl: `http://${host}/api`,
    calls,
    of: (method: string): readonly JsonObject[] => calls.filter((call) => call.method === method).map(({ body }) => body),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Returns a request that Slack signed. */
export function signedBySlack(payload: unknown, seconds: number, secret = SIGNING_SECRET) {
  const body = new URLSearchParams({ payload: typeof payload === "string" ? payload : JSON.stringify(payload) }).toString();
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex")}`;
  const headers: Readonly<Record<string, string>> = {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": String(seconds),
    "x-slack-signature": signature,
  };
  return { method: "POST", body, headers };
}
