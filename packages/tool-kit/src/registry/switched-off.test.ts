import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { bench } from "../testing/bench.ts";
import { pay, target } from "../testing/target.ts";
import { fixedToolFlags } from "./tool-flags.ts";
import { toolset } from "../tool/toolset.ts";

const KEY = { mode: "key", keepsForMs: 86_400_000 } as const;
const off = fixedToolFlags("staging", { pay_enabled: false, look_up_enabled: false });
const ARGUMENTS = { amount: 1, to: "ann" };

function setup() {
  const over = target();
  const lookUp = defineTool({
    name: "look_up",
    kind: "read",
    description: "Looks up.",
    flag: "look_up_enabled",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run: () => (over.runs++, "found"),
  });
  return { over, ...bench(toolset({ name: "orders", tools: [pay(over, KEY, 1000, { flag: "pay_enabled" }), lookUp] })) };
}

describe("a tool that is switched off at the worker", () => {
  it("refuses a read as a matter of policy and says which flag it was", async () => {
    const { process, invoke, over } = setup();
    const worker = process({ flags: off });
    await worker.deliver(await invoke("look_up", {}));
    expect(worker.read()[0]?.result).toMatchObject({
      status: "denied",
      error: {
        code: "tool_disabled",
        class: "ToolPolicyError",
        retryable: false,
        message: 'The tool "look_up" is switched off in the environment "staging" (flag look_up_enabled).',
      },
    });
    expect(over.runs).toBe(0);
  });

  it("begins no write, and no other worker runs the refused call", async () => {
    const { process, invoke, over, row } = setup();
    const worker = process({ flags: off });
    await worker.deliver(await invoke("pay", ARGUMENTS));
    expect(worker.read()[0]?.result).toMatchObject({ status: "denied", error: { code: "tool_disabled" } });
    expect(await row()).toMatchObject({ state: "done" });
    // The flags of the other worker differ for a moment, and the agent sent the call again.
    const other = process();
    await other.deliver(await invoke("pay", ARGUMENTS, { dispatch: 2 }));
    expect(other.read()[0]?.result.error?.code).toBe("tool_disabled");
    expect(over.runs).toBe(0);
  });

  it("completes a write that was sent before", async () => {
    const { process, invoke, over, clock } = setup();
    const first = process({ dieAfter: "sending" });
    void first.deliver(await invoke("pay", ARGUMENTS));
    await first.died;
    clock.now += 60_000;
    const second = process({ flags: off });
    await second.deliver(await invoke("pay", ARGUMENTS, { dispatch: 2 }));
    expect(second.read()[0]?.result.status).toBe("ok");
    expect(over.runs).toBe(1);
  });

  it("answers nothing to a write that nobody granted", async () => {
    const { process, invoke, security } = setup();
    const worker = process({ flags: off });
    await worker.deliver(await invoke("pay", ARGUMENTS, { grant: "none" }));
    expect(worker.answers).toEqual([]);
    expect(await security()).toHaveLength(1);
  });

  it("runs again when the flag is on", async () => {
    const { process, invoke, over } = setup();
    const worker = process({ flags: fixedToolFlags("staging", { pay_enabled: true }) });
    await worker.deliver(await invoke("pay", ARGUMENTS));
    expect(over.runs).toBe(1);
  });
});
