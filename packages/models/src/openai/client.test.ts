import { execFile } from "node:child_process";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { compatibleModel } from "../compatible/compatible-model.ts";
import { ModelRefused } from "../connect/model-settings.ts";
import { openrouterModel } from "../openrouter/openrouter-model.ts";
import { openaiModel } from "./openai-model.ts";
import { openaiResponsesModel } from "./openai-responses-model.ts";
import { type Answer, asking, deltas, facts, failure, outcome, testStream } from "../testing/test-stream.ts";

const KEY = "sk-proj-0123456789abcdef";
const well = deltas("stop", { content: "Well." });

/** Starts a server that gives this answer and records the headers and the connection of each request. */
async function setup(answer: Answer) {
  const headers: IncomingHttpHeaders[] = [];
  const sockets: Socket[] = [];
  const stream = await testStream((response, body, request) => {
    headers.push(request.headers);
    sockets.push(request.socket);
    answer(response, body, request);
  });
  const settings = { model: "model-1", apiKey: KEY, baseUrl: stream.url, facts };
  return { stream, settings, headers, sockets, [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose]() };
}

/** Headers that HTTP itself needs. */
const OF_HTTP = ["accept-encoding", "accept-language", "connection", "content-length", "host", "sec-fetch-mode"];
const said = (headers: IncomingHttpHeaders | undefined) =>
  Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !OF_HTTP.includes(name)));
const OURS = { accept: "text/event-stream", authorization: `Bearer ${KEY}`, "content-type": "application/json", "user-agent": "toolbus" };

describe("a request to a vendor", () => {
  it("has only our headers, and nothing about the machine", async () => {
    await using bundle = await setup(well);
    await outcome(openaiModel(bundle.settings));
    await outcome(openrouterModel(bundle.settings));
    await outcome(compatibleModel({ ...bundle.settings, apiKey: null }));
    const { authorization: _, ...keyless } = OURS;
    expect(bundle.headers.map(said)).toEqual([OURS, { ...OURS, "x-title": "Toolbus" }, keyless]);
  });

  // The test starts a separate process, because the SDK reads the environment of its process.
  it("goes to the configured address, with the configured key, whatever the SDK finds in the environment, and nothing is logged", async () => {
    await using bundle = await setup(well);
    const script = `
      import { compatibleModel } from ${JSON.stringify(new URL("../compatible/compatible-model.ts", import.meta.url).href)};
      import { openaiModel } from ${JSON.stringify(new URL("openai-model.ts", import.meta.url).href)};
      const settings = ${JSON.stringify(bundle.settings)};
      for (const model of [openaiModel(settings), compatibleModel({ ...settings, apiKey: null })])
        await model.complete(${JSON.stringify(asking())}, { signal: AbortSignal.timeout(20_000), onText: () => {} });`;
    const env = {
      OPENAI_API_KEY: "sk-of-the-environment",
      OPENAI_ADMIN_KEY: "sk-of-the-environment",
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      OPENAI_ORG_ID: "org-of-the-environment",
      OPENAI_PROJECT_ID: "project-of-the-environment",
      OPENAI_CUSTOM_HEADERS: "x-of-the-environment: yes\nauthorization: Bearer sk-of-the-environment\nuser-agent: environment",
      OPENAI_LOG: "debug",
    };
    const args = ["--input-type=module", "--eval", script];
    const output = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 });
    const { authorization: _, ...keyless } = OURS;
    expect(bundle.headers.map(said)).toEqual([OURS, keyless]);
    expect(output).toEqual({ stdout: "", stderr: "" });
  });

  it.each([
    [500, { "x-should-retry": "true", "retry-after-ms": "1" }],
    [429, { "x-should-retry": "true", "retry-after": "0" }],
    [307, { location: "/v1/chat/completions" }],
  ])("is sent once, even if the answer is %d and asks for a retry", async (status, headers) => {
    await using bundle = await setup((response) => response.writeHead(status, headers).end());
    expect(await failure(openaiModel(bundle.settings))).toHaveProperty("message", expect.stringContaining(String(status)));
    expect(bundle.stream.bodies).toHaveLength(1);
  });

  it("reuses an open connection, even if a stream ends after its last event", async () => {
    let end = (): unknown => undefined;
    await using bundle = await setup((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "Well." }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`);
      end = () => response.end();
    });
    const model = openaiModel(bundle.settings);
    for (let n = 0; n < 8; n++) {
      await outcome(model);
      end();
    }
    // A request cannot always reuse the previous connection, which may still wait for the end of its stream.
    expect(new Set(bundle.sockets).size).toBeLessThan(8);
  });

  it("is refused before it is sent if its key cannot be in a header, and the error does not repeat the key", () => {
    for (const model of [openaiModel, openaiResponsesModel, compatibleModel]) {
      const open = () => model({ model: "m", apiKey: `${KEY}\n`, baseUrl: "http://127.0.0.1:9/v1", facts });
      expect(open).toThrow(ModelRefused);
      expect(open).not.toThrow(KEY);
    }
  });
});

describe("an abort", () => {
  const begun = `data: ${JSON.stringify({ choices: [{ delta: { content: "Well" } }] })}\n\n`;
  it.each<[string, (response: ServerResponse) => void]>([
    ["before the answer", () => undefined],
    ["during the stream", (response) => response.writeHead(200, { "content-type": "text/event-stream" }).write(begun)],
    ["during an error", (response) => response.writeHead(500, { "content-type": "text/plain" }).write("Half")],
    ["during a page", (response) => response.writeHead(200, { "content-type": "text/html" }).write("<html>")],
  ])("%s rejects with its reason and frees the connection", async (_, answer) => {
    const came = Promise.withResolvers<Socket>();
    await using bundle = await setup((response, __, request) => {
      answer(response);
      came.resolve(request.socket);
    });
    const controller = new AbortController();
    const reason = new Error("enough");
    const ended = failure(openaiModel(bundle.settings), asking(), controller.signal);
    const socket = await came.promise;
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    controller.abort(reason);
    expect(await ended).toBe(reason);
    await closed;
  });
});

describe("an answer without a stream", () => {
  const empty =
    (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
    (response) =>
      response.writeHead(status, headers).end();
  it.each<[string, Answer, string, boolean, RegExp]>([
    ["of events that has none", empty(200, { "content-type": "text/event-stream" }), "NetworkError", true, /ended before it was done/],
    ["that is empty", empty(200), "ProviderError", false, /without a content type.*LLM_BASE_URL/],
    ["that says that it is empty", empty(204), "ProviderError", false, /without a content type/],
    ["that says that nothing changed", empty(304), "ProviderError", false, /304/],
    ["that is an empty failure", empty(500), "ProviderError", true, /500/],
  ])("%s is an error that says so", async (_, answer, name, retryable, words) => {
    await using bundle = await setup(answer);
    const failed = await failure(openaiModel(bundle.settings));
    expect(failed).toMatchObject({ name, retryable });
    expect(String(failed)).toMatch(words);
  });

  it.each([200, 500])("is read only at its beginning, and its connection is closed (%d)", async (status) => {
    const left = Promise.withResolvers<void>();
    await using bundle = await setup((response) => {
      response.on("close", () => left.resolve());
      response.writeHead(status, { "content-type": "text/plain" });
      const more = (): void => void (response.destroyed || response.write("x".repeat(10_000), more));
      more();
    });
    expect(await failure(openaiModel(bundle.settings))).toMatchObject({ name: "ProviderError" });
    await left.promise;
  });
});
