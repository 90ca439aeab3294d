import type { JsonObject } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { bench } from "../testing/bench.ts";
import { MAX_CONTENT_BYTES } from "../tool/tool-output.ts";
import type { ToolContext, ToolOutput } from "../tool/tool.ts";
import { toolError, unexpectedResult } from "../tool/tool-problem.ts";
import { toolset } from "../tool/toolset.ts";
import { cancelCall } from "../worker-options.ts";

type Run = (args: JsonObject, context: ToolContext) => ToolOutput | Promise<ToolOutput>;

function setup(run: Run, timeoutMs = 1000) {
  const parameters = {
    type: "object",
    properties: { id: { type: "string", maxLength: 10 }, limit: { type: "integer", default: 10 } },
    required: ["id"],
    additionalProperties: false,
  };
  const made = bench(
    toolset({
      name: "orders",
      tools: [defineTool({ name: "look_up", kind: "read", description: "Looks up.", parameters, timeoutMs, run })],
    }),
  );
  return { ...made, worker: made.process(), ask: (args: JsonObject = { id: "a", limit: 1 }) => made.invoke("look_up", args) };
}

describe("a read", () => {
  it("answers JSON as JSON text and text unchanged", async () => {
    for (const [value, content] of [
      [{ a: 1 }, '{"a":1}'],
      ["plain", "plain"],
      [null, "null"],
    ] as const) {
      const { worker, ask } = setup(() => value);
      expect(await worker.deliver(await ask())).toEqual({ kind: "ack" });
      expect(worker.read()[0]?.result).toMatchObject({ status: "ok", content, isError: false, metadata: { tool: "look_up", attempt: 1 } });
    }
  });

  it("records whose result it is, its content, whether it worked, and when and how long it ran", async () => {
    const { clock, ...worked } = setup(() => ((clock.now += 250), "found"));
    const began = clock.now;
    await worked.worker.deliver(await worked.ask());
    expect(worked.worker.read()[0]).toMatchObject({
      callId: worked.callId(),
      result: { content: "found", isError: false, metadata: { startedAt: began, endedAt: began + 250, latencyMs: 250, ok: true } },
    });
    const failed = setup(() => toolError("order_not_found", "There is no order a.", { details: [{ path: "/id", message: "is unknown" }] }));
    await failed.worker.deliver(await failed.ask());
    expect(failed.worker.read()[0]?.result).toMatchObject({
      isError: true,
      error: { code: "order_not_found", message: "There is no order a.", details: [{ path: "/id", message: "is unknown" }] },
      metadata: { ok: false, errorClass: "ToolUserError" },
    });
  });

  it("records what the models that it called itself used, and what is known of their cost", async () => {
    const { worker, ask } = setup((_, { modelUsed }) => {
      modelUsed({ inputTokens: 900, outputTokens: 40, costUsd: 0.0021 });
      modelUsed({ inputTokens: 100, outputTokens: 10 });
      modelUsed({ inputTokens: Number.NaN, outputTokens: -1, costUsd: -3 });
      return "summed up";
    });
    await worker.deliver(await ask());
    const model = { calls: 3, inputTokens: 1000, outputTokens: 50, costMicroUsd: 2100 };
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", metadata: { tool: "look_up", model } });
    const { worker: other, ask: another } = setup(() => "without a model");
    await other.deliver(await another());
    expect(other.read()[0]?.result.metadata).not.toHaveProperty("model");
  });

  it("has its pictures, sounds and files stored before it is answered, and only as many bytes as a result may have", async () => {
    const picture = { mediaType: "Image/PNG", bytes: Buffer.from("a picture") };
    const names: (string | null)[] = [];
    const { worker, ask, state } = setup((_, { attach }) => {
      names.push(attach(picture), attach(picture), attach({ mediaType: "no type", bytes: Buffer.from("more") }));
      names.push(attach({ mediaType: "image/png", bytes: Buffer.alloc(MAX_CONTENT_BYTES) }));
      return "drawn";
    });
    await worker.deliver(await ask());
    const { media } = worker.read()[0]?.result ?? {};
    expect(media).toEqual([
      { blob: names[0], mediaType: "image/png", bytes: 9 },
      { blob: names[2], mediaType: "application/octet-stream", bytes: 4 },
    ]);
    expect(names[1]).toBe(names[0]);
    expect(names[3]).toBe(null);
    expect(Buffer.from((await state.getBlob(media?.[0]?.blob ?? "")) ?? []).toString()).toBe("a picture");
  });

  it("has no more than sixteen media, and those of its last attempt only", async () => {
    let attempt = 0;
    const { worker, ask } = setup((_, { attach }) => {
      attempt++;
      const kept = Array.from({ length: 17 }, (_none, n) => attach({ mediaType: "a/b", bytes: Buffer.from(`${attempt} ${n}`) }));
      return attempt === 1 ? toolError("unavailable", "Not now.") : kept.filter((name) => name !== null).length;
    });
    await worker.deliver(await ask());
    const { content, media } = worker.read()[0]?.result ?? {};
    expect([attempt, content, media?.length]).toEqual([2, "16", 16]);
  });

  it("that fails has no media", async () => {
    const { worker, ask } = setup((_, { attach }) => {
      attach({ mediaType: "image/png", bytes: Buffer.from("a picture") });
      return toolError("order_not_found", "There is no order a.");
    });
    await worker.deliver(await ask());
    expect(worker.read()[0]?.result).not.toHaveProperty("media");
  });

  it("times out with a retryable result even if the tool ignores its signal", async () => {
    const { worker, ask } = setup(() => new Promise(() => undefined), 20);
    await worker.deliver(await ask());
    expect(worker.read()[0]?.result).toMatchObject({ status: "timeout", error: { code: "timeout", retryable: true } });
    expect(JSON.parse(worker.answers[0]?.body ?? "")).toMatchObject({ code: "Timeout", isRetryable: true });
  });

  it.each([
    ["its class", new TypeError("boom"), "TypeError"],
    [
      "its class and the system's code",
      Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), { code: "ECONNREFUSED" }),
      "Error, ECONNREFUSED",
    ],
    ["a real class name, if its own name is a sentence", Object.assign(new Error("no"), { name: "row 4111 of ann@example.com" }), "Error"],
    ["no code that only looks like one", Object.assign(new RangeError("no"), { code: "E4111111111111111" }), "RangeError"],
  ])("gives for an unknown exception %s", async (_what, thrown, said) => {
    const { worker, ask } = setup(() => {
      throw thrown;
    });
    await worker.deliver(await ask());
    const { result } = worker.read()[0] ?? {};
    expect(result).toMatchObject({ status: "error", error: { code: "execution_failed", retryable: false } });
    expect(result?.error?.message).toBe(`"look_up" failed inside its own code (${said}). The log of its worker has the reason.`);
    expect(JSON.parse(worker.answers[0]?.body ?? "")).toMatchObject({ code: "ExecutionFailed", isRetryable: false });
  });

  it("gives only the type of a thrown value that is not an exception", () => {
    const { error } = unexpectedResult("4111 1111 1111 1111", "look_up");
    expect(error?.message).toBe('"look_up" failed inside its own code (a thrown string). The log of its worker has the reason.');
  });

  it("gives neither the words of an unknown exception nor its stack nor its causes: they may quote a row", async () => {
    const { worker, ask } = setup(() => {
      throw new Error("duplicate key in orders (ann.lee@example.com, card 4111 1111 1111 1111)\n    at secretFunction (/srv/app.js:1:1)", {
        cause: new Error("password 1234"),
      });
    });
    await worker.deliver(await ask());
    expect(JSON.stringify([worker.answers, worker.read()])).not.toMatch(/duplicate|ann\.lee|4111|secretFunction|app\.js|1234/);
  });

  it("gives only the words of an HTML page, as a result and as a reason", async () => {
    const page = "<!doctype html><html><head><style>p{}</style></head><body><h1>Bad Gateway</h1><p>Try later.</p></body></html>";
    const outputs: readonly Run[] = [() => page, () => toolError("unavailable", `502: ${page}`, { retryable: false })];
    for (const output of outputs) {
      const { worker, ask } = setup(output);
      await worker.deliver(await ask());
      const said = JSON.stringify([worker.answers, worker.read()]);
      expect(said).toContain("Bad Gateway");
      expect(said).toContain("Try later.");
      expect(said).not.toMatch(/<\w|p\{\}/);
    }
  });

  it("gives a problem of the tool's domain in its own words", async () => {
    const { worker, ask } = setup(() =>
      toolError("order_not_found", "There is no order a.", { details: [{ path: "/id", message: "is unknown" }] }),
    );
    await worker.deliver(await ask());
    expect(worker.read()[0]?.result.error).toEqual({
      code: "order_not_found",
      class: "ToolUserError",
      message: "There is no order a.",
      retryable: false,
      details: [{ path: "/id", message: "is unknown" }],
    });
  });

  it("tries one transient failure again, silently, and not a second", async () => {
    let runs = 0;
    const flaky = setup(() => (++runs === 1 ? toolError("unavailable", "No connection.") : "found"));
    await flaky.worker.deliver(await flaky.ask());
    expect(flaky.worker.read()[0]?.result).toMatchObject({ status: "ok", metadata: { attempt: 2 } });
    runs = 0;
    const down = setup(() => (runs++, toolError("unavailable", "No connection.")));
    await down.worker.deliver(await down.ask());
    expect(runs).toBe(2);
    expect(down.worker.read()[0]?.result.error).toMatchObject({ code: "unavailable", retryable: true });
  });

  it("does not retry against a target that limits its rate", async () => {
    let runs = 0;
    const { worker, ask } = setup(() => (runs++, toolError("rate_limited", "Slow down.", { retryAfter: 7 })));
    await worker.deliver(await ask());
    expect(runs).toBe(1);
    expect(JSON.parse(worker.read()[0]?.result.content ?? "")).toMatchObject({ error: "rate_limited", retryable: true, retryAfter: 7 });
  });

  it("fails on a value that is not JSON", async () => {
    const loop: Record<string, never> = {};
    Object.assign(loop, { loop });
    const { process, ask } = setup(() => loop);
    const lines: object[] = [];
    const worker = process({ log: { ...silentLog, error: (fields: object, text: string) => void lines.push({ ...fields, text }) } });
    await worker.deliver(await ask());
    expect(worker.read()[0]?.result.error?.code).toBe("execution_failed");
    // The model does not see the reason, so the author finds it only here.
    const text = "a tool's handler returned a value that is not JSON";
    expect(lines).toEqual([{ callId: expect.any(String), tool: "look_up", part: "run", error: expect.any(TypeError), text }]);
  });

  it.each([
    ["nothing", undefined, 1],
    ["not a number", Number.NaN, 1],
    ["null", null, 0],
    ["zero", 0, 0],
  ])("tells the operator that its handler returned %s, if the model then reads null by mistake", async (_, value, warned) => {
    const { process, ask } = setup(() => value as never);
    const lines: object[] = [];
    const worker = process({ log: { ...silentLog, warn: (fields: object, text: string) => void lines.push({ ...fields, text }) } });
    await worker.deliver(await ask());
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", content: value === 0 ? "0" : "null" });
    const text = "a tool's handler returned nothing that JSON has, so the model reads null";
    expect(lines).toEqual(warned ? [{ callId: expect.any(String), tool: "look_up", part: "run", text }] : []);
  });

  it("is dropped after its not-after, when nobody waits for it any more", async () => {
    let runs = 0;
    const { worker, invoke, clock } = setup(() => ++runs);
    const sent = await invoke("look_up", { id: "a", limit: 1 }, { notAfter: clock.now });
    clock.now += 1;
    expect(await worker.deliver(sent)).toEqual({ kind: "ack" });
    expect([runs, worker.answers.length]).toEqual([0, 0]);
  });

  it.each([-25, -1, 2, 25])("is answered in time on a machine whose clock is %i hours off, and not after it", async (hours) => {
    let runs = 0;
    const { worker, invoke, clock } = setup(() => ++runs);
    const sent = await invoke("look_up", { id: "a", limit: 1 }, { notAfter: clock.now });
    // Only the date is fake. The timers are real.
    vi.useFakeTimers({ toFake: ["Date"], now: clock.now + hours * 3_600_000 });
    try {
      await worker.deliver(sent);
      expect(worker.read()[0]?.result.status).toBe("ok");
      clock.now += 1;
      await worker.deliver(sent);
      expect(runs).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("ends as cancelled when a hint says that nobody waits", async () => {
    const started = Promise.withResolvers<void>();
    const { worker, ask, callId } = setup(() => (started.resolve(), new Promise(() => undefined)));
    const delivered = worker.deliver(await ask());
    await started.promise;
    await cancelCall(callId(), worker.context);
    await delivered;
    expect(worker.read()[0]?.result.status).toBe("cancelled");
  });

  it("is handed back when the worker stops", async () => {
    const { worker, ask } = setup(() => new Promise(() => undefined));
    const stop = new AbortController();
    const delivered = worker.deliver(await ask(), 1, stop.signal);
    stop.abort();
    expect(await delivered).toMatchObject({ kind: "retry" });
    expect(worker.answers).toEqual([]);
  });

  it("comes again if its answer was not confirmed", async () => {
    const { process, ask } = setup(() => "found");
    const { BusUnavailable } = await import("@toolbus/bus");
    const worker = process({ publish: () => Promise.reject(new BusUnavailable("no confirm")) });
    expect(await worker.deliver(await ask())).toMatchObject({ kind: "retry", after: 1000 });
  });
});

describe("a call that cannot run", () => {
  it("of an unknown tool is answered with the existing names", async () => {
    const { worker, invoke } = setup(() => 1);
    await worker.deliver(await invoke("look_upp", { id: "a" }));
    expect(JSON.parse(worker.answers[0]?.body ?? "")).toMatchObject({
      code: "ToolNotFound",
      message: 'Tool "look_upp" is not registered. Registered: look_up.',
      isRetryable: false,
    });
  });

  it("with wrong arguments is answered with every field that is wrong", async () => {
    const { worker, ask } = setup(() => 1);
    await worker.deliver(await ask({ id: "much too long", limit: "ten" }));
    expect(worker.read()[0]?.result).toMatchObject({ status: "validation_error", error: { code: "invalid_arguments" } });
    expect(JSON.parse(worker.answers[0]?.body ?? "")).toMatchObject({ code: "InvalidArguments", isRetryable: false });
    expect(
      worker
        .read()[0]
        ?.result.error?.details?.map(({ path }) => path)
        .toSorted(),
    ).toEqual(["/id", "/limit"]);
  });

  it("is refused when a default would change its arguments, or when they are not canonical", async () => {
    const { worker, ask, invoke } = setup(() => 1);
    await worker.deliver(await ask({ id: "a" }));
    await worker.deliver(await invoke("look_up", {}, { index: 1, text: '{"limit":1,"id":"a"}' }));
    await worker.deliver(await invoke("look_up", {}, { index: 2, text: '{"id":"a","id":"b","limit":1}' }));
    expect(worker.read().map(({ result }) => result.error?.code)).toEqual(["invalid_arguments", "invalid_arguments", "invalid_arguments"]);
  });

  it("answers to agents only, whatever the message names", async () => {
    const { worker, invoke } = setup(() => 1);
    await worker.deliver(await invoke("look_up", { id: "a", limit: 1 }, { replyTo: "approval.request" }));
    expect(worker.answers[0]?.topic).toBe("tool.result.default");
  });
});
