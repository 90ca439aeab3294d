import type { Dependency, JsonObject } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { bench } from "../testing/bench.ts";
import { pay, target } from "../testing/target.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolOutput } from "../tool/tool.ts";
import { toolError } from "../tool/tool-problem.ts";
import { toolset, type ToolsetOptions } from "../tool/toolset.ts";
import { breakerRules } from "./breaker.ts";
import { openProtection } from "./protection.ts";

const KEY = { mode: "key", keepsForMs: 86_400_000 } as const;
const SHOP: Dependency = { name: "shop" };
const DOWN = toolError("unavailable", "The shop answered with status 500.", { retryAfter: 1 });
const PAYMENT = { amount: 1, to: "ann" };

interface Case {
  /** What the read of the shop returns. */
  readonly answer?: () => ToolOutput | Promise<ToolOutput>;
  readonly shop?: Dependency;
  readonly limits?: string;
  readonly unavailable?: ToolsetOptions["unavailable"];
}

/** A worker with two reads of the shop, a read of something else, and a write to the shop. */
function setup({ answer = () => DOWN, shop = SHOP, limits, unavailable }: Case = {}) {
  const over = target();
  const read = (name: string, dependencies: readonly Dependency[], run: () => ToolOutput | Promise<ToolOutput>) =>
    defineTool({
      name,
      kind: "read",
      description: "Reads.",
      parameters: { type: "object", properties: { q: { type: "string", maxLength: 60_000 } }, additionalProperties: false },
      timeoutMs: 100,
      dependencies,
      limits: { argumentBytes: 1000 },
      run,
    });
  let asked = 0;
  const ask = () => (asked++, answer());
  const tools = toolset({
    name: "orders",
    tools: [
      read("look_up", [shop], ask),
      read("list", [shop], ask),
      read("tell_time", [], () => "noon"),
      pay(over, KEY, 1000, { dependencies: [shop], limits: { callsPerMinute: 2 } }),
    ],
    ...(unavailable ? { unavailable } : {}),
  });
  const made = bench(tools);
  const protection = openProtection({ limits, monotonic: () => made.clock.now, log: silentLog });
  const worker = made.process({ protection });
  let index = 0;
  return {
    ...made,
    over,
    worker,
    protection,
    tools,
    asked: () => asked,
    call,
    /** Lets the shop fail until the breaker opens. */
    async open() {
      for (let n = 0; n < breakerRules.failures; n++) await call("look_up");
    },
  };

  /** Calls a tool, and returns the result that the model reads. */
  async function call(tool: string, args: JsonObject = {}) {
    const before = worker.answers.length;
    await worker.deliver(await made.invoke(tool, args, { index: ++index }));
    const result = worker.read()[before]?.result;
    if (!result) throw new Error("The call was not answered.");
    return result;
  }
}

describe("the limits of a tool", () => {
  it("refuse arguments that are too large as invalid, and no handler runs", async () => {
    const { call, asked } = setup();
    expect(await call("look_up", { q: "x".repeat(2000) })).toMatchObject({
      status: "validation_error",
      error: { code: "invalid_arguments", details: [{ path: "", message: "have 2008 bytes, and at most 1000 are allowed" }] },
    });
    expect(asked()).toBe(0);
  });

  it("are replaced by those of the operator", async () => {
    const { call, asked } = setup({ limits: "look_up.argumentBytes=3000", answer: () => "found" });
    expect(await call("look_up", { q: "x".repeat(2000) })).toMatchObject({ status: "ok" });
    expect(await call("list", { q: "x".repeat(2000) })).toMatchObject({ status: "validation_error" });
    expect(asked()).toBe(1);
  });

  it("of the operator may name something that no tool has, which the worker can report", () => {
    const { protection, tools } = setup({ limits: "look_up.callsPerMinute=2,shop.concurrent=3,lok_up.callsPerMinute=2" });
    expect(protection.unknownNames([tools])).toEqual(["lok_up"]);
  });

  it("refuse a read at once if too many began in a minute, say when the next may begin, and leave other tools alone", async () => {
    const { call, clock, asked } = setup({ limits: "look_up.callsPerMinute=2", answer: () => "found" });
    for (let n = 0; n < 2; n++) expect(await call("look_up")).toMatchObject({ status: "ok" });
    clock.now += 20_000;
    expect(await call("look_up")).toMatchObject({
      status: "error",
      error: { code: "rate_limited", class: "ToolTransientError", retryable: true, retryAfter: 40 },
    });
    expect(await call("list")).toMatchObject({ status: "ok" });
    expect(asked()).toBe(3);
    clock.now += 40_000;
    expect(await call("look_up")).toMatchObject({ status: "ok" });
  });

  it("return a write to the queue until it may begin, because people may have approved it", async () => {
    const { call, worker, invoke, clock, over, row, callId } = setup({ answer: () => "found" });
    for (let n = 0; n < 2; n++) expect(await call("pay", PAYMENT)).toMatchObject({ status: "ok" });
    const third = await invoke("pay", PAYMENT, { index: 7 });
    expect(await worker.deliver(third)).toMatchObject({ kind: "retry", after: 60_000 });
    expect(await row(callId(7))).toBeNull();
    clock.now += 60_000;
    expect(await worker.deliver(third, 2)).toEqual({ kind: "ack" });
    expect(over.runs).toBe(3);
  });
});

describe("a dependency that fails", () => {
  it("is not asked any more, each call is answered at once with its name and the time, and other tools go on", async () => {
    const { call, open, asked } = setup();
    await open();
    const before = asked();
    for (const tool of ["look_up", "list"])
      expect(await call(tool)).toMatchObject({
        status: "error",
        error: {
          code: "unavailable",
          class: "ToolTransientError",
          retryable: true,
          retryAfter: 5,
          message: `"${tool}" was not run, because its dependency "shop" fails. It is tried again in 5 s.`,
        },
      });
    expect(asked()).toBe(before);
    expect(await call("tell_time")).toMatchObject({ status: "ok", content: "noon" });
  });

  it("makes exactly its own tools unavailable", async () => {
    const { open, protection, tools } = setup();
    const why = () => tools.list().map(({ definition }) => protection.whyUnavailable(definition) ?? "usable");
    expect(why()).toEqual(["usable", "usable", "usable", "usable"]);
    await open();
    const fails = 'The dependency "shop" fails. The worker tries it again by itself.';
    expect(why()).toEqual([fails, fails, "usable", fails]);
    expect(protection.isTroubled(tools)).toBe(true);
  });

  it("is tried again by one call when its time is over, and used again if this call works", async () => {
    let answer: ToolOutput = DOWN;
    const { call, open, clock, asked } = setup({ answer: () => answer });
    await open();
    clock.now += breakerRules.openMs;
    expect(await call("look_up")).toMatchObject({ error: { message: DOWN.message } });
    expect(await call("look_up")).toMatchObject({ error: { retryAfter: 10 } });
    expect(asked()).toBe(breakerRules.failures + 1);
    answer = "found";
    clock.now += 2 * breakerRules.openMs;
    for (const tool of ["list", "look_up"]) expect(await call(tool)).toMatchObject({ status: "ok" });
  });

  it("lets other calls wait for the outcome of the trial", async () => {
    const trial = Promise.withResolvers<string>();
    let answer: () => ToolOutput | Promise<ToolOutput> = () => DOWN;
    const { call, open, clock, worker, invoke, asked } = setup({ answer: () => answer() });
    await open();
    clock.now += breakerRules.openMs;
    answer = () => trial.promise;
    const before = asked();
    const tried = worker.deliver(await invoke("look_up", {}, { index: 8 }));
    const waits = worker.deliver(await invoke("list", {}, { index: 9 }));
    // This call began later and needs no trial. When it has its answer, the one before it would have reached the shop.
    expect(await call("tell_time")).toMatchObject({ status: "ok" });
    expect(asked()).toBe(before + 1);
    answer = () => "found";
    trial.resolve("found");
    await Promise.all([tried, waits]);
    expect(worker.read().slice(-2)).toMatchObject([{ result: { status: "ok" } }, { result: { status: "ok" } }]);
    expect(asked()).toBe(before + 2);
  });

  it("is one that times out, throws or is unavailable, but not one that refuses or whose tool has a mistake", async () => {
    for (const [answer, left] of [
      [() => new Promise<never>(() => undefined), 0],
      [() => Promise.reject(new Error("connection reset")), 0],
      [() => Promise.reject(new TypeError("fetch failed", { cause: new Error("refused") })), 0],
      [() => toolError("timeout", "The shop is slow."), 0],
      [() => toolError("order_not_found", "There is no such order."), 1],
      [() => toolError("invalid_arguments", "The order is wrong."), 1],
      [() => toolError("policy_denied", "The shop refuses the worker's access."), 1],
      [() => toolError("rate_limited", "The shop has no time."), 1],
      [() => toolError("unavailable", "The token is wrong.", { dependency: null, retryAfter: 1 }), 1],
      [() => Promise.reject(new TypeError("x is undefined")), 1],
    ] as const) {
      const { open, call, asked } = setup({ answer });
      await open();
      const before = asked();
      await call("look_up");
      expect([String(answer), asked() - before]).toEqual([String(answer), left]);
    }
  });

  it("counts a silent second attempt as a call of its own, and gets none once it has opened", async () => {
    const { call, asked } = setup({ answer: () => toolError("unavailable", "The shop answered with status 500.") });
    for (let n = 0; n < 3; n++) await call("look_up");
    // The calls are tried 2, 2 and 1 times.
    expect(asked()).toBe(breakerRules.failures);
  });

  it("is shared by the toolsets of a process", async () => {
    const first = setup();
    await first.open();
    const second = bench(first.tools).process({ protection: first.protection });
    await second.deliver(await first.invoke("list", {}));
    expect(second.read()[0]?.result.error).toMatchObject({ code: "unavailable", retryAfter: 5 });
  });
});

describe("a write to a dependency that fails", () => {
  it("ends at once without an effect, with a signed result in the ledger, and not as an unknown outcome", async () => {
    const { open, call, over, row, callId } = setup();
    await open();
    expect(await call("pay", PAYMENT)).toMatchObject({ status: "error", error: { code: "unavailable", retryAfter: 5 } });
    expect(await row(callId(breakerRules.failures + 1))).toMatchObject({
      state: "done",
      result: { status: "error", error: { code: "unavailable" } },
      receipt: expect.any(String),
    });
    expect([over.prepares, over.runs]).toEqual([0, 0]);
  });

  it("is completed if it was sent before, and its success closes the breaker", async () => {
    const { open, call, process, invoke, over, clock, worker, callId } = setup();
    const sent = await invoke("pay", PAYMENT, { index: 9 });
    const first = process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    await open();
    clock.now += 20_000;
    await call("look_up");
    expect(await worker.deliver(sent, 2)).toEqual({ kind: "ack" });
    expect(over.effects.get(callId(9))).toBe(1);
    expect(await call("look_up")).toMatchObject({ error: { message: DOWN.message } });
  });

  it("is not the trial if the toolset checks its target, and is one otherwise", async () => {
    const checking = setup({ unavailable: () => null });
    await checking.open();
    checking.clock.now += breakerRules.openMs;
    expect(await checking.call("pay", PAYMENT)).toMatchObject({ error: { code: "unavailable", retryAfter: 1 } });
    checking.protection.checked(checking.tools, true);
    expect(await checking.call("pay", PAYMENT)).toMatchObject({ status: "ok" });
    expect(checking.over.runs).toBe(1);

    const other = setup();
    await other.open();
    other.clock.now += breakerRules.openMs;
    expect(await other.call("pay", PAYMENT)).toMatchObject({ status: "ok" });
  });

  it("is no sign that the dependency works until its effect is sent", async () => {
    const { open, call, over, clock, protection, tools } = setup();
    await open();
    clock.now += breakerRules.openMs;
    over.onRun = () => {
      throw DOWN;
    };
    await expect(call("pay", PAYMENT)).rejects.toThrow("The call was not answered.");
    const { definition } = tools.find("pay") ?? {};
    expect(definition && protection.whyUnavailable(definition)).toContain('"shop" fails');
  });
});

describe("a dependency that is slow", () => {
  it("has as many calls at once as allowed, the next ones are told so, and other tools go on", async () => {
    const slow = Promise.withResolvers<string>();
    const { worker, invoke, call, asked } = setup({ shop: { name: "shop", concurrent: 1 }, answer: () => slow.promise });
    const running = worker.deliver(await invoke("look_up", {}, { index: 20 }));
    const waiting = worker.deliver(await invoke("look_up", {}, { index: 21 }));
    expect(await call("list")).toMatchObject({ status: "error", error: { code: "rate_limited", retryable: true, retryAfter: 1 } });
    expect(await call("tell_time")).toMatchObject({ status: "ok" });
    expect(asked()).toBe(1);
    slow.resolve("found");
    await Promise.all([running, waiting]);
    expect(asked()).toBe(2);
  });
});
