import { describe, expect, it } from "vitest";
import { readableLine } from "./readable-line.ts";

const TIME = Date.UTC(2026, 10, 23, 7, 5, 9);
const line = (fields: object, msg = "a tool call ended", level = 30) =>
  JSON.stringify({ level, time: TIME, name: "agent", ...fields, msg });

describe("a log line for people", () => {
  it("has time, level, message and fields, on one line", () => {
    expect(readableLine(line({ callId: "rn_1.1.0", latencyMs: 12, why: "no worker", trace_id: "t", span_id: "s" }), false)).toBe(
      '07:05:09  INFO   agent  a tool call ended  callId=rn_1.1.0 latencyMs=12 why="no worker"\n',
    );
    expect(readableLine(line({ service: "gateway" }, "it is slow", 40), false)).toBe("07:05:09  WARN   it is slow  service=gateway\n");
  });

  it("has ids first, and each once", () => {
    const ids = { tool: "pay", approvalId: "ap_rn_1.1.0", callId: "rn_1.1.0", runId: "rn_1" };
    expect(readableLine(line(ids), false)).toMatch(/ {2}callId=rn_1\.1\.0 tool=pay\n$/);
    expect(readableLine(line({ ...ids, callId: undefined }), false)).toMatch(/ {2}runId=rn_1 approvalId=ap_rn_1\.1\.0 tool=pay\n$/);
    expect(readableLine(line({ ...ids, runId: "rn_2" }), false)).toMatch(/ {2}runId=rn_2 callId=rn_1\.1\.0 tool=pay\n$/);
  });

  it("shows a thrown error with its stack and its causes", () => {
    const cause = { name: "Error", message: "ECONNREFUSED", stack: "Error: ECONNREFUSED\n    at connect (net.js:1:1)" };
    const error = { name: "TypeError", message: "broken", stack: "TypeError: broken\n    at f (a.ts:2:3)", cause };
    expect(readableLine(line({ error }, "failed", 50), false)).toBe(
      [
        "07:05:09  ERROR  agent  failed",
        "  TypeError: broken",
        "      at f (a.ts:2:3)",
        "  caused by: Error: ECONNREFUSED",
        "      at connect (net.js:1:1)",
        "",
      ].join("\n"),
    );
    expect(readableLine(line({ error: { message: "only a string" } }, "failed", 50), false)).toContain("\n  only a string\n");
  });

  it("shows only the message of an error with a code of ours, and likewise of its causes", () => {
    const cause = {
      name: "Error",
      message: "ECONNREFUSED",
      stack: "Error: ECONNREFUSED\n    at connect (net.js:1:1)",
      code: "ECONNREFUSED",
    };
    const error = {
      name: "NetworkError",
      message: "It cannot be reached.",
      code: "network_failed",
      stack: "NetworkError\n    at f (a.ts:2:3)",
      cause,
    };
    expect(readableLine(line({ error }, "failed", 50), false)).toBe(
      "07:05:09  ERROR  agent  failed\n  It cannot be reached.\n  caused by: ECONNREFUSED\n",
    );
  });

  it("lets no foreign text move the cursor", () => {
    const text = readableLine(
      line({ tool: "\u001b[2Jx", why: "a\u0007 b", error: { stack: "Error: \u001b[1m\n  at x" } }, "\u001b[31m"),
      false,
    );
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it("is coloured on request", () => {
    expect(readableLine(line({}, "bad", 50), true)).toContain("\u001b[31mERROR");
  });
});
