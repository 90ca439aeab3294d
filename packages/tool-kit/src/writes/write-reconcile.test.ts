import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { bench } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { toolError } from "../tool/tool-problem.ts";

const ARGS = { amount: 5, to: "ann" };
type Mode = Parameters<typeof orders>[1];

function setup(idempotency?: Mode) {
  const over = target();
  return { over, ...bench(orders(over, idempotency)) };
}

describe("a write that the target can be asked about", () => {
  const crashed = async () => {
    const made = setup({ mode: "reconcile" });
    const sent = await made.invoke("pay", ARGS);
    const first = made.process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    return { ...made, sent, second: made.process() };
  };

  it("is done when it happened", async () => {
    const { over, sent, second } = await crashed();
    over.answer = () => ({ kind: "happened", content: { id: 7 } });
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result).toMatchObject({ status: "ok", content: '{"id":7}' });
    expect(over.runs).toBe(0);
  });

  it.each(["run", "reconcile"])("is done with a note if its %s gives a value that is not JSON, and the worker logs why", async (part) => {
    const lines: object[] = [];
    const log = { ...silentLog, error: (fields: object, text: string) => void lines.push({ ...fields, text }) };
    const { over, process, invoke } = setup({ mode: "reconcile" });
    const loop: Record<string, never> = {};
    Object.assign(loop, { loop });
    over.answer = () => ({ kind: "happened", content: loop });
    over.onRun = (_, effect) => {
      effect();
      return part === "run" ? loop : toolError("unavailable", "No answer.");
    };
    const worker = process({ log });
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", content: expect.stringContaining("no readable result") });
    const text = "a tool's handler returned a value that is not JSON";
    expect(lines).toEqual([{ callId: expect.any(String), tool: "pay", part, error: expect.any(TypeError), text }]);
  });

  it("is done with null if its handler returns nothing, and the worker logs that a return was probably forgotten", async () => {
    const lines: string[] = [];
    const { over, process, invoke } = setup({ mode: "reconcile" });
    over.onRun = (_, effect) => {
      effect();
      return undefined as never;
    };
    const worker = process({ log: { ...silentLog, warn: (_: object, text: string) => void lines.push(text) } });
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", content: "null" });
    expect(lines).toEqual(["a tool's handler returned nothing that JSON has, so the model reads null"]);
  });

  it("is not executed when the target refuses the attempt from now on", async () => {
    const { over, sent, second } = await crashed();
    over.answer = () => ({ kind: "voided" });
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("not_executed");
    expect(over.runs).toBe(0);
  });

  it("is unknown if the target does not know", async () => {
    const { over, sent, second } = await crashed();
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over.runs).toBe(0);
  });

  it("is asked about again if the question failed, and given up after five attempts", async () => {
    const { over, sent, second } = await crashed();
    over.answer = () => Promise.reject(new Error("no connection"));
    for (let count = 2; count <= 4; count++) expect(await second.deliver(sent, count)).toMatchObject({ kind: "retry" });
    await second.deliver(sent, 5);
    expect(second.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over).toMatchObject({ runs: 0, reconciles: 4 });
  });

  it("is asked about at once when its run fails", async () => {
    const { over, process, invoke } = setup({ mode: "reconcile" });
    over.onRun = (_, effect) => {
      effect();
      throw new Error("connection reset");
    };
    over.answer = () => ({ kind: "happened", content: "yes" });
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", content: "yes" });
  });
});
