import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject, TranscriptEntry } from "@toolbus/contracts";
import type { ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import type { ToolSpec } from "../schema/tool-spec.ts";

/** A server whose answers a test writes byte by byte, such as malformed answers that no vendor would send on purpose. */
export interface TestStream extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly bodies: readonly JsonObject[];
}

export type Answer = (response: ServerResponse, body: JsonObject, request: IncomingMessage) => void;

export async function testStream(answer: Answer): Promise<TestStream> {
  const bodies: JsonObject[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      const body = JSON.parse(text) as JsonObject;
      bodies.push(body);
      answer(response, body, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with a stream of these events, in one piece. It sends the text `[DONE]` as it is. */
export function events(...all: readonly Json[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_test" });
    response.end(all.map((event) => `data: ${event === "[DONE]" ? event : JSON.stringify(event)}\n\n`).join(""));
  };
}

/** Answers with a chat completion of these deltas. */
export function deltas(finish: string | null, ...all: readonly JsonObject[]): Answer {
  const chunk = (delta: JsonObject, reason: string | null = null): Json => ({
    model: "model-exact",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return events(...all.map((delta) => chunk(delta)), chunk({}, finish), "[DONE]");
}

export const facts = { contextTokens: 128_000, maxOutputTokens: 8192, vision: false, sampling: true, resultChars: 64_000, price: null };

export const lookup: ToolSpec = {
  name: "lookup",
  description: "Looks something up.",
  parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false },
};
export const count: ToolSpec = { ...lookup, name: "count" };

export function asking(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You help.",
    transcript: [userSays("Look up 7.")],
    tools: [lookup, count],
    maxTokens: 100,
    run: { runId: "rn_1", profile: "chat", input: {} },
    ...more,
  };
}

export function userSays(text: string): TranscriptEntry {
  return { type: "user", runId: "rn_1", text, at: 0 };
}

/** Returns the reply as the transcript stores it, with a result for each of its calls. */
export function kept(reply: ModelReply, provider: string): readonly TranscriptEntry[] {
  const calls = reply.calls.map((call, n) => ({ ...call, callId: `rn_1.1.${n}` }));
  const { text, model, vendor } = reply;
  const turn = { type: "assistant", runId: "rn_1", round: 1, text, calls, at: 0, provider, model, ...(vendor ? { vendor } : {}) } as const;
  const results = calls.map(
    ({ id, callId, name }) =>
      ({ type: "result", runId: "rn_1", round: 1, id, callId, name, status: "ok", content: `of ${name}`, isError: false, at: 0 }) as const,
  );
  return [turn, ...results];
}

/** Returns the reply to one request, with everything that its listeners received. */
export async function outcome(
  provider: ModelProvider,
  request: ModelRequest = asking(),
): Promise<{ readonly reply: ModelReply; readonly text: string; readonly heard: readonly string[] }> {
  let text = "";
  const heard: string[] = [];
  const reply = await provider.complete(request, {
    signal: AbortSignal.timeout(20_000),
    onText: (delta) => (text += delta),
    onArguments: ({ index, name, text: piece }) => void heard.push(`${index} ${name} ${piece}`),
  });
  return { reply, text, heard };
}

/** Returns the error of one request. */
export async function failure(
  provider: ModelProvider,
  request: ModelRequest = asking(),
  signal = AbortSignal.timeout(20_000),
): Promise<unknown> {
  return provider.complete(request, { signal, onText: () => undefined }).then(
    (reply) => Promise.reject(new Error(`There is a reply: ${JSON.stringify(reply)}`)),
    (error: unknown) => error,
  );
}
