import type { Message, ToolProgress } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineTool } from "./define-tool.ts";
import { invokeTool } from "../calls/invoke-pipeline.ts";
import { progressReporter } from "./progress.ts";
import { bench } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import type { ToolContext } from "./tool.ts";

const SECRET_TEXT = `Bearer ${"a1b2".repeat(8)}`;
const bodies = (sent: readonly Message[]): ToolProgress[] => sent.map((message) => JSON.parse(message.body));

const slowly = (run: (context: ToolContext) => void) =>
  defineTool({
    name: "count_rows",
    kind: "read",
    description: "Counts rows, for tests.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run(_, context) {
      run(context);
      return { rows: 3 };
    },
  });

describe("a tool's progress report", () => {
  it("goes to the agent that asked, with the proof that the worker saw the invoke", async () => {
    const b = bench(orders(target(), { mode: "none" }, [slowly((context) => context.progress({ message: "Half of it", fraction: 0.5 }))]));
    const process = b.process();
    expect(await process.deliver(await b.invoke("count_rows", {}, { secret: "s3cret" }))).toEqual({ kind: "ack" });
    expect(process.announced).toMatchObject([{ topic: "tool.progress.tester", type: "toolbus.tool.progress", correlationId: b.callId() }]);
    expect(bodies(process.announced)).toEqual([
      {
        toolCallId: b.callId(),
        toolName: "count_rows",
        n: expect.any(Number),
        message: "Half of it",
        fraction: 0.5,
        secretHash: secretHash("s3cret"),
      },
    ]);
  });

  it("is one clean line without credentials, and its fraction is one", async () => {
    const said = `Row 1\nof ${SECRET_TEXT} ${"x".repeat(600)}`;
    const b = bench(orders(target(), { mode: "none" }, [slowly((context) => context.progress({ message: said, fraction: 7 }))]));
    const process = b.process();
    await process.deliver(await b.invoke("count_rows", {}));
    const [body] = bodies(process.announced);
    expect(body?.message).toMatch(/^Row 1 of \[redacted\] x+…$/);
    expect(body?.message).toHaveLength(500);
    expect(body?.fraction).toBe(1);
  });

  it("also comes from the effect of a write", async () => {
    const over = target();
    over.onRun = ({ progress }, effect) => {
      progress({ message: "Paying" });
      effect();
      return { paid: true };
    };
    const b = bench(orders(over));
    const process = b.process();
    await process.deliver(await b.invoke("pay", { amount: 1, to: "ada" }));
    expect(bodies(process.announced)).toMatchObject([{ message: "Paying" }]);
  });

  it("continues with higher numbers in a later attempt", async () => {
    const b = bench(orders(target(), { mode: "none" }, [slowly((context) => context.progress({ message: "Here" }))]));
    const [first, second] = [b.process(), b.process()];
    await first.deliver(await b.invoke("count_rows", {}), 2);
    await second.deliver(await b.invoke("count_rows", {}, { dispatch: 2 }), 1);
    const [before, after] = [bodies(first.announced)[0]?.n ?? 0, bodies(second.announced)[0]?.n ?? 0];
    expect(after).toBeGreaterThan(before);
  });

  it("does no harm when the bus is unavailable", async () => {
    const b = bench(orders(target(), { mode: "none" }, [slowly((context) => context.progress({ message: "Here" }))]));
    const process = b.process();
    const context = { ...process.context, announce: () => Promise.reject(new Error("away")) };
    const invoke = await b.invoke("count_rows", {});
    expect(await invokeTool(invoke, JSON.parse(invoke.body), { count: 1, signal: new AbortController().signal }, context)).toEqual({
      kind: "ack",
    });
  });
});

describe("progress that comes fast", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function reporter(secret = "secret") {
    const b = bench(orders(target()));
    const sent: Message[] = [];
    const message = await b.invoke("look_up", { id: "1" }, { secret });
    const invoke = secret === "" ? { ...message, attributes: {} } : message;
    const made = progressReporter({
      invoke,
      call: JSON.parse(message.body),
      dispatch: 1,
      count: 1,
      source: "worker.orders",
      clock: () => 0,
      announce: async (said) => void sent.push(said),
    });
    return { ...made, said: () => bodies(sent).map((body) => body.message) };
  }

  it("is sent four times a second, always the latest report, and the last one too", async () => {
    const r = await reporter();
    for (const n of [1, 2, 3]) r.report({ message: `row ${n}` });
    expect(r.said()).toEqual(["row 1"]);
    vi.advanceTimersByTime(250);
    expect(r.said()).toEqual(["row 1", "row 3"]);
    vi.advanceTimersByTime(10_000);
    r.report({ message: "row 4" });
    expect(r.said()).toEqual(["row 1", "row 3", "row 4"]);
  });

  it("is dropped if the call has ended meanwhile", async () => {
    const r = await reporter();
    for (const n of [1, 2]) r.report({ message: `row ${n}` });
    r.end();
    vi.advanceTimersByTime(10_000);
    r.report({ message: "row 3" });
    expect(r.said()).toEqual(["row 1"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is dropped by the pipeline when the handler has ended", async () => {
    const b = bench(
      orders(target(), { mode: "none" }, [
        slowly((context) => {
          for (const n of [1, 2]) context.progress({ message: `row ${n}` });
        }),
      ]),
    );
    const process = b.process();
    await process.deliver(await b.invoke("count_rows", {}));
    vi.advanceTimersByTime(10_000);
    expect(bodies(process.announced)).toMatchObject([{ message: "row 1" }]);
  });

  it("is not sent if the invoke had no secret to prove it with", async () => {
    const r = await reporter("");
    r.report({ message: "row 1" });
    expect(r.said()).toEqual([]);
  });
});
