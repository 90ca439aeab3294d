import { createLog } from "@toolbus/telemetry";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { logThrown } from "./log-thrown.ts";
import { ToolProblem } from "../tool/tool-problem.ts";

const CALL = { callId: "rn_05_01JD0000000000000000000001.1.0", toolName: "issue_refund" };

describe("what a handler threw", () => {
  it("is logged with its message, its stack and its causes, under the call, the tool and the part", () => {
    const { log, lines } = setup();
    const error = new TypeError("no such order", { cause: new Error("connection reset") });
    logThrown({ kind: "threw", error }, "prepare", CALL, log);
    expect(lines()).toMatchObject([
      {
        level: 50,
        callId: CALL.callId,
        tool: "issue_refund",
        part: "prepare",
        msg: "a tool's handler threw",
        error: {
          name: "TypeError",
          message: "no such order",
          stack: expect.stringContaining("log-thrown.test.ts"),
          cause: { message: "connection reset" },
        },
      },
    ]);
  });

  it.each([
    ["gives a value", { kind: "value", value: 1 }],
    ["throws a problem on purpose", { kind: "problem", problem: new ToolProblem("order_not_found", "There is no order a.") }],
    ["is stopped", { kind: "interrupted", why: "timeout" }],
  ] as const)("is nothing where it %s", (_how, ran) => {
    const { log, lines } = setup();
    expect(logThrown(ran, "run", CALL, log)).toBe(ran);
    expect(lines()).toEqual([]);
  });
});

function setup() {
  let written = "";
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  return {
    log: createLog({ name: "test", level: "info", destination }),
    lines: (): readonly unknown[] =>
      written
        .split("\n")
        .filter(Boolean)
        .map((line): unknown => JSON.parse(line)),
  };
}
