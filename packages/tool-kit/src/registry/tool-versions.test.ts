import { memoryBus } from "@toolbus/bus";
import { type JsonObject, type Message, SEEN_FOR_MS, topics } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { markSeen, registerToolset } from "./registry.ts";
import { approvalsKeys, bench, readOrThrow } from "../testing/bench.ts";
import { pay, target } from "../testing/target.ts";
import type { Tool } from "../tool/tool.ts";
import { toolset } from "../tool/toolset.ts";
import { startWorker } from "../worker.ts";

const KEY = { mode: "key", keepsForMs: 86_400_000 } as const;

/** Returns a read whose result says which version ran, and with which arguments. */
function lookUp(version: string, properties: JsonObject = { id: { type: "string" } }, required: readonly string[] = ["id"]): Tool {
  return defineTool({
    name: "look_up",
    version,
    kind: "read",
    description: "Looks an order up.",
    parameters: { type: "object", properties, required, additionalProperties: false },
    run: (args: JsonObject) => ({ version, args }),
  });
}

const orders = (...tools: readonly Tool[]) => toolset({ name: "orders", tools });

describe("versions side by side", () => {
  it("are run as the message names them, the preferred one if it names none", async () => {
    const { process, invoke } = bench(orders(lookUp("2"), lookUp("10")));
    const worker = process();
    for (const version of ["2", "10", undefined]) {
      await worker.deliver(await invoke("look_up", { id: "7" }, version === undefined ? {} : { version }));
    }
    expect(worker.read().map(({ result }) => JSON.parse(result.content).version)).toEqual(["2", "10", "10"]);
  });

  it("of a write each need a grant for their own definition", async () => {
    const over = target();
    const tools = orders(pay(over, KEY, 1000, { version: "2" }), pay(over, KEY, 1000, { version: "3" }));
    const { process, invoke } = bench(tools);
    const worker = process();
    await worker.deliver(await invoke("pay", { amount: 1, to: "ann" }, { version: "2" }));
    expect(worker.read()[0]?.result.status).toBe("ok");
    const stale = { toolVersion: "3", toolHash: tools.find("pay", "3")?.hash ?? "" };
    await worker.deliver(await invoke("pay", { amount: 1, to: "ann" }, { version: "2", index: 1, grant: stale }));
    expect(over.runs).toBe(1);
  });

  it("that nobody has registered are refused with the existing versions", async () => {
    const { process, invoke } = bench(orders(lookUp("2"), lookUp("10")));
    const worker = process();
    await worker.deliver(await invoke("look_up", { id: "7" }, { version: "3" }));
    expect(worker.read()[0]?.result.error).toMatchObject({
      code: "tool_not_found",
      message: 'Tool "look_up" has no version 3 here. Versions: 2, 10.',
    });
  });

  it("are answered by the worker that serves them, even if two workers of one toolset serve one each", async () => {
    const both = orders(lookUp("2"), lookUp("10"));
    const { state, clock, invoke, callId } = bench(both);
    const bus = memoryBus();
    const options = { bus, state, keys: approvalsKeys, log: silentLog, clock: () => clock.now, monotonic: () => performance.now() };
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
    const workers = [];
    for (const tools of [orders(lookUp("2")), orders(lookUp("10"))])
      workers.push(await startWorker({ ...options, random, toolset: tools }));
    const asked = ["2", "10", "2", "10", "10", "2"];
    const got = new Map<string, string>();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const agent = await bus.consume(
      topics.result("tester"),
      async ({ message }: { message: Message }) => {
        const { callId, result } = readOrThrow(message);
        got.set(callId, JSON.parse(result.content).version);
        if (got.size === asked.length) resolve();
        return { kind: "ack" };
      },
      { concurrency: 4 },
    );
    for (const [index, version] of asked.entries()) await bus.publish(await invoke("look_up", { id: "7" }, { version, index }));
    await done;
    expect(asked.map((_, index) => got.get(callId(index)))).toEqual(asked);
    for (const part of [agent, ...workers]) await part.stop();
    await bus.close();
  });
});

describe("a version that this worker does not serve", () => {
  async function setup(tool: Tool) {
    const older = orders(tool);
    const made = bench(older);
    await registerToolset(made.state, older);
    const over = target();
    const newer = orders(lookUp("10"), pay(over, KEY, 1000, { version: "10" }));
    return { ...made, older, worker: made.process({ serves: newer }) };
  }

  it("goes back to the queue while a worker that serves it was seen lately, and is left to the agent's timer in the end", async () => {
    const { worker, invoke } = await setup(lookUp("2"));
    const message = await invoke("look_up", { id: "7" }, { version: "2" });
    const waits = [];
    for (let count = 1; count <= 8; count++) waits.push(await worker.deliver(message, count));
    for (const [n, wait] of waits.entries()) {
      expect(wait.kind === "retry" && wait.after).toBeGreaterThanOrEqual(100 * 2 ** n);
      expect(wait.kind === "retry" && wait.after).toBeLessThan(150 * 2 ** n);
    }
    expect(await worker.deliver(message, 9)).toEqual({ kind: "ack" });
    expect(worker.answers).toEqual([]);
  });

  it("is answered as changed if no worker serves it any more, with the existing versions", async () => {
    const { worker, invoke, clock, state, older } = await setup(lookUp("2"));
    clock.now += SEEN_FOR_MS;
    expect((await worker.deliver(await invoke("look_up", { id: "7" }, { version: "2" }))).kind).toBe("retry");
    await markSeen(state, older, null);
    clock.now += SEEN_FOR_MS + 1;
    await worker.deliver(await invoke("look_up", { id: "7" }, { version: "2" }));
    expect(worker.read()[0]?.result).toMatchObject({
      status: "not_executed",
      error: { code: "tool_changed", retryable: false, message: expect.stringMatching(/No worker serves version 2 .+Served now: 10\./) },
    });
  });

  it("is answered without waiting if the store knows that its workers are dead", async () => {
    const { process, invoke, clock } = await setup(lookUp("2"));
    const worker = process({ serves: orders(lookUp("10")), ownersDeadBefore: clock.now + 1 });
    await worker.deliver(await invoke("look_up", { id: "7" }, { version: "2" }));
    expect(worker.read()[0]?.result.error?.code).toBe("tool_changed");
  });

  it("of a write is never answered: another delivery of it may be running", async () => {
    const over = target();
    const { worker, invoke, clock } = await setup(pay(over, KEY, 1000, { version: "2" }));
    clock.now += SEEN_FOR_MS + 1;
    expect(await worker.deliver(await invoke("pay", { amount: 1, to: "ann" }, { version: "2" }))).toEqual({ kind: "ack" });
    expect([worker.answers.length, over.runs]).toEqual([0, 0]);
  });
});

describe("a definition that was changed under its version", () => {
  const id = { type: "string" };
  const before = orders(lookUp("1"));
  const hash = before.find("look_up")?.hash ?? "";

  it("runs the read of an earlier run if its arguments fit, with the defaults that were added since", async () => {
    const { process, invoke } = bench(before);
    const worker = process({ serves: orders(lookUp("1", { id, limit: { type: "integer", default: 5 } })) });
    await worker.deliver(await invoke("look_up", { id: "7" }, { version: "1", hash }));
    expect(JSON.parse(worker.read()[0]?.result.content ?? "")).toEqual({ version: "1", args: { id: "7", limit: 5 } });
  });

  it("applies no default for a run that saw the current definition", async () => {
    const tools = orders(lookUp("1", { id, limit: { type: "integer", default: 5 } }));
    const { process, invoke } = bench(tools);
    const worker = process();
    await worker.deliver(await invoke("look_up", { id: "7" }, { version: "1", hash: tools.find("look_up")?.hash ?? "" }));
    expect(worker.read()[0]?.result.error?.code).toBe("invalid_arguments");
  });

  it("says that it was changed if the arguments of an earlier run do not fit any more", async () => {
    const { process, invoke } = bench(before);
    const worker = process({ serves: orders(lookUp("1", { id, region: { type: "string" } }, ["id", "region"])) });
    await worker.deliver(await invoke("look_up", { id: "7" }, { version: "1", hash }));
    expect(worker.read()[0]?.result).toMatchObject({
      status: "not_executed",
      error: {
        code: "tool_changed",
        message: expect.stringMatching(/has another definition of the tool "/),
        details: [{ path: "/region", message: "is required" }],
      },
    });
  });

  it("runs no write under the earlier grant, whether its arguments fit or not", async () => {
    const over = target();
    const tools = orders(pay(over, KEY));
    const { process, invoke } = bench(tools);
    const changed = defineTool({
      name: "pay",
      kind: "write",
      description: "Pays in a currency.",
      idempotency: KEY,
      effect: "Pay.",
      parameters: { type: "object", properties: { currency: { type: "string" } }, required: ["currency"], additionalProperties: false },
      prepare: (args) => args,
      run: () => (over.runs++, "paid"),
    });
    const payHash = tools.find("pay")?.hash ?? "";
    for (const [index, serves] of [orders(pay(over, KEY, 999)), orders(changed)].entries()) {
      const worker = process({ serves });
      await worker.deliver(await invoke("pay", { amount: 1, to: "ann" }, { version: "1", hash: payHash, index }));
      expect(worker.answers.map(({ type }) => type)).toEqual(["toolbus.tool.grant_stale"]);
    }
    expect(over.runs).toBe(0);
  });
});
