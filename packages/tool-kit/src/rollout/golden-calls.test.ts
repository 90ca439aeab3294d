import { randomBytes } from "node:crypto";
import type { JsonObject } from "@toolbus/contracts";
import { type Log, silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { fixedToolFlags } from "../registry/tool-flags.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { toolError } from "../tool/tool-problem.ts";
import { toolset, type ToolsetOptions } from "../tool/toolset.ts";
import { runGoldenCalls } from "./golden-calls.ts";
import { goldenObstacle } from "./golden-obstacle.ts";

const parameters = {
  type: "object",
  properties: { order: { type: "string", pattern: "^ORD-[0-9]+$", maxLength: 9 } },
  required: ["order"],
  additionalProperties: false,
};
const said = { description: "Does something with an order, e.g. ORD-1. Gives it. Not for customers.", parameters };
const order = { order: "ORD-1" };

function read(
  name: string,
  run: () => unknown,
  more: { readonly timeoutMs?: number; readonly version?: string; readonly flag?: string } = {},
): Tool {
  return defineTool({ name, kind: "read", ...said, ...more, run: async () => run() as string });
}

/** A write whose handlers note that they ran. */
function write(name: string, ran: string[], handlers: { readonly prepared?: () => JsonObject; readonly plan?: () => unknown } = {}): Tool {
  const { plan, prepared = () => order } = handlers;
  return defineTool({
    name,
    kind: "write",
    ...said,
    risk: { tier: "high" },
    idempotency: { mode: "none" },
    effect: "Change {order}.",
    prepare: async () => {
      ran.push("prepare");
      return prepared();
    },
    run: async () => {
      ran.push("run");
      return "done";
    },
    ...(plan
      ? {
          plan: async () => {
            ran.push("plan");
            return plan() as { readonly before: JsonObject; readonly after: JsonObject };
          },
        }
      : {}),
  });
}

function setup(tools: readonly Tool[], options: Partial<ToolsetOptions> = {}) {
  const orders = toolset({
    name: "orders",
    tools,
    examples: () => Object.fromEntries(tools.map(({ draft }) => [draft.name, order])),
    ...options,
  });
  const lines: string[] = [];
  const noted = (...args: readonly unknown[]): void => void lines.push(String(args.at(-1)));
  const log = { ...silentLog, warn: noted, error: noted, info: noted, child: () => silentLog } as unknown as Log;
  const parts = {
    flags: fixedToolFlags("local", { off_enabled: false }),
    log,
    random: (bytes: number) => new Uint8Array(randomBytes(bytes)),
    signal: new AbortController().signal,
  };
  return {
    lines,
    faults: async (limitMs?: number) =>
      (await runGoldenCalls(orders, { ...parts, ...(limitMs === undefined ? {} : { limitMs }) })).map(
        ({ tool, code }) => `${tool}: ${code}`,
      ),
    obstacle: (mode: "off" | "warn" | "required") => goldenObstacle(orders, mode, parts),
  };
}

describe("golden calls", () => {
  it("run a read and a compute with the example, as a call would", async () => {
    const got: unknown[] = [];
    const tool = defineTool({
      name: "look_up",
      kind: "read",
      ...said,
      run: async (args, { callId, sessionId }) => {
        got.push(args, sessionId, callId.slice(0, 7));
        return "found";
      },
    });
    expect(await setup([tool]).faults()).toEqual([]);
    expect(got).toEqual([order, "golden", "golden-"]);
  });

  it("of a write run only plan and prepare, and never the effect", async () => {
    const ran: string[] = [];
    const plan = () => ({ before: { street: "A" }, after: { street: "B" } });
    expect(await setup([write("move", ran, { plan }), write("pay", ran)]).faults()).toEqual([]);
    expect(ran).toEqual(["plan", "prepare", "prepare"]);
  });

  it("fail with the code of the problem, of the time-out, of what was thrown, and of a plan that cannot be used", async () => {
    const { faults } = setup([
      read("says_no", () => toolError("order_not_found", "There is no such order.")),
      read("hangs", () => new Promise(() => undefined), { timeoutMs: 20 }),
      read("throws", () => {
        throw new Error("password=hunter2");
      }),
      write("plans_badly", [], { plan: () => ({ before: 1 }) }),
      write("prepares_badly", [], {
        prepared: () => {
          throw toolError("policy_denied", "No.");
        },
      }),
    ]);
    expect(await faults()).toEqual([
      "says_no: order_not_found",
      "hangs: timeout",
      "throws: execution_failed",
      "plans_badly: plan_unusable",
      "prepares_badly: policy_denied",
    ]);
  });

  it("end when their time is over, whatever a tool does", async () => {
    const never = () => new Promise(() => undefined);
    expect(await setup([read("first", never), read("second", never)]).faults(30)).toEqual(["first: timeout", "second: timeout"]);
  });

  it("fail for an example that does not fit, unless several versions of the tool share it", async () => {
    const examples = () => ({ look_up: { order: "1" } });
    expect(await setup([read("look_up", () => 1)], { examples }).faults()).toEqual(["look_up: invalid_arguments"]);
    expect(await setup([read("look_up", () => 1), read("look_up", () => 1, { version: "2" })], { examples }).faults()).toEqual([]);
  });

  it("leave out a tool that says why, a tool that is off here, and one without an example, of which the log warns", async () => {
    const never = (): never => {
      throw new Error("called");
    };
    const costly = defineTool({ name: "costly", kind: "read", ...said, noGoldenCall: "Each call costs money.", run: never });
    const { faults, lines } = setup([costly, read("off", never, { flag: "off_enabled" }), read("unknown", never)], {
      examples: () => ({ costly: order, off: order }),
    });
    expect(await faults()).toEqual([]);
    expect(lines).toEqual([
      'The tool has no golden call: the "examples" of the toolset "orders" have no arguments for it.',
      "the golden calls passed",
    ]);
  });

  it("fail for a tool without an example while the toolset says that its target is away", async () => {
    const away = { examples: () => ({}), unavailable: () => "The shop cannot be reached." };
    const { faults, lines } = setup([read("look_up", () => 1)], away);
    expect(await faults()).toEqual(["look_up: unavailable"]);
    expect(lines).toEqual(["A golden call failed: The shop cannot be reached."]);
  });

  it("keep a worker back only where they are required, with the tool and the code and no other words", async () => {
    const failing = [
      read("says_no", () => toolError("order_not_found", "There is no order of Ada.")),
      read("too", () => toolError("unavailable", "No.")),
    ];
    expect(await setup(failing).obstacle("required")).toBe("the golden call of says_no fails with order_not_found (and 1 more)");
    const { obstacle, lines } = setup(failing);
    expect(await obstacle("warn")).toBeNull();
    expect(lines).toEqual(["A golden call failed: There is no order of Ada.", "A golden call failed: No."]);
    let calls = 0;
    expect(await setup([read("counted", () => ++calls)]).obstacle("off")).toBeNull();
    expect(calls).toBe(0);
  });
});
