import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { type Answered, type Fault, SERVED, type Served } from "./model-server.ts";
import { startModelServer } from "./start-model-server.ts";

const parameters = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
const text = "Sí, 好的 👍, ça va: “gut”.";
const answered: Answered = {
  text,
  calls: [
    { name: "look", arguments: { a: "ü👍" } },
    { name: "look", arguments: {} },
  ],
};

/** The same question in each vendor's form. */
const questions: Readonly<Record<Served, (model: string, stream: boolean) => { readonly path: string; readonly body: JsonObject }>> = {
  anthropic: (model, stream) => ({
    path: "/v1/messages",
    body: {
      model,
      stream,
      max_tokens: 100,
      messages: [{ role: "user", content: "go" }],
      tools: [{ name: "look", input_schema: parameters }],
    },
  }),
  openai: chat("/chat/completions"),
  openrouter: chat("/chat/completions"),
  compatible: chat("/chat/completions"),
  ollama: chat("/v1/chat/completions"),
  bedrock: (model, stream) => ({
    path: `/model/${encodeURIComponent(model)}/converse${stream ? "-stream" : ""}`,
    body: {
      messages: [{ role: "user", content: [{ text: "go" }] }],
      toolConfig: { tools: [{ toolSpec: { name: "look", inputSchema: { json: parameters } } }] },
    },
  }),
};

function chat(path: string) {
  return (model: string, stream: boolean) => ({
    path,
    body: {
      model,
      stream,
      messages: [{ role: "user", content: "go" }],
      tools: [{ type: "function", function: { name: "look", parameters } }],
    },
  });
}

const setup = async (vendor: Served) => {
  const server = await startModelServer(vendor, { brain: () => answered });
  const ask = async (stream: boolean, signal?: AbortSignal) => {
    const { path, body } = questions[vendor](server.model, stream);
    const headers = { authorization: `Bearer ${server.key}`, "anthropic-version": "2026-10-21", "content-type": "application/json" };
    const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) });
    return { response, bytes: await response.bytes().then(Buffer.from, (error: unknown) => error as Error) };
  };
  return { server, ask, [Symbol.asyncDispose]: () => server.close() };
};

describe.each(SERVED)("a stream of %s", (vendor) => {
  it("has the content of the plain answer, in the same bytes each time", async () => {
    await using bundle = await setup(vendor);
    const plain = String((await bundle.ask(false)).bytes);
    const first = (await bundle.ask(true)).bytes;
    expect(plain).toContain(JSON.stringify(text).slice(1, -1));
    // Anthropic's models write nothing for a call without arguments.
    const empty = vendor === "anthropic" || vendor === "bedrock" ? "" : "{}";
    expect(written(first as Buffer)).toEqual({ text, args: `{"a":"ü👍"}${empty}` });
    expect((await bundle.ask(true)).bytes).toEqual(first);
  });

  it("ends without a mark that it is complete, on request", async () => {
    await using bundle = await setup(vendor);
    const whole = (await bundle.ask(true)).bytes as Buffer;
    bundle.server.failNext({ kind: "no-end" });
    const short = (await bundle.ask(true)).bytes as Buffer;
    expect(short.length).toBeLessThan(whole.length);
    expect(written(short).text).toBe(text);
    expect(short.toString("latin1")).not.toMatch(/message_stop|\[DONE\]|finish_reason":"|messageStop/);
  });

  it("breaks in the middle of a frame, on request", async () => {
    await using bundle = await setup(vendor);
    bundle.server.failNext({ kind: "cut" }, { kind: "cut" });
    for (const stream of [true, false]) {
      const { response, bytes } = await bundle.ask(stream);
      expect(response.status).toBe(200);
      expect(bytes).toBeInstanceOf(Error);
    }
  });

  it("contains the vendor's error after a normal beginning", async () => {
    await using bundle = await setup(vendor);
    bundle.server.failNext({ kind: "error-in-stream", status: 503 });
    const { response, bytes } = await bundle.ask(true);
    expect(response.status).toBe(200);
    expect(String(bytes)).toMatch(/event: error|"error":|serviceUnavailableException/);
    expect(String(bytes)).not.toMatch(/message_stop|\[DONE\]|messageStop/);
  });

  it("waits until the client disconnects, dripping or silent, and the server still closes at once", async () => {
    await using bundle = await setup(vendor);
    for (const kind of ["drip", "hang"] as const) {
      bundle.server.failNext({ kind });
      const leaving = new AbortController();
      const asked = bundle.ask(true, leaving.signal).catch((error: unknown) => error as Error);
      await expect.poll(() => bundle.server.requests.length).toBe(kind === "drip" ? 1 : 2);
      leaving.abort();
      const left = await asked;
      expect(left instanceof Error ? left : left.bytes).toBeInstanceOf(Error);
    }
    bundle.server.failNext({ kind: "hang" });
    const open = bundle.ask(true).catch((error: unknown) => error as Error);
    await expect.poll(() => bundle.server.requests.length).toBe(3);
    await bundle.server.close();
    expect(await open).toBeInstanceOf(Error);
  });

  it.each([
    [{ kind: "status", status: 429, retryAfter: 7 }, 429],
    [{ kind: "status", status: 503, message: "later" }, 503],
    [{ kind: "content-type" }, 200],
    [{ kind: "broken-json" }, 200],
  ] satisfies readonly (readonly [Fault, number])[])("has the fault %j once, and then none", async (fault, status) => {
    await using bundle = await setup(vendor);
    bundle.server.failNext(fault);
    const { response, bytes } = await bundle.ask(false);
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe("retryAfter" in fault ? "7" : null);
    expect(response.headers.get("content-type")).toMatch(fault.kind === "content-type" ? /html/ : /json/);
    if (status === 200) expect(() => JSON.parse(String(bytes)) as unknown).toThrow(SyntaxError);
    expect((await bundle.ask(false)).response.status).toBe(200);
    expect(bundle.server.requests.map((request) => request.status)).toEqual([status, 200]);
  });
});

/** Returns the joined text and the joined arguments of a stream of any of these vendors. */
function written(bytes: Buffer): { readonly text: string; readonly args: string } {
  const all = bytes.toString("utf8");
  const joined = (pattern: RegExp) => [...all.matchAll(pattern)].map(([, piece = ""]) => JSON.parse(`"${piece}"`) as string).join("");
  const string = String.raw`"((?:[^"\\]|\\.)*)"`;
  return {
    text: joined(new RegExp(String.raw`(?:"type":"text_delta","text"|"delta":\{"content"|"delta":\{"text"):${string}`, "g")),
    args: joined(new RegExp(String.raw`(?:"partial_json"|"arguments"|"toolUse":\{"input"):${string}`, "g")),
  };
}
