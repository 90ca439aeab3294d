import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { failedResult } from "@toolbus/contracts";
import { type AuditLine, type Log, silentLog, startTelemetry, withSpan } from "@toolbus/telemetry";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cancelRun } from "./transitions/cancel.ts";
import { callDecided } from "./transitions/decided.ts";
import { failRun } from "./transitions/end.ts";
import { asks, type Bundle, bundle, CONVERSATION, ok, RUN } from "./testing/test-bundle.ts";
import { observeRun } from "./observe-run.ts";

const CLIENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-observe-run-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("the audit of a run", () => {
  it("records a call that a worker answered, with what it was, how it ended and in which trace", async () => {
    const { audit, lines } = await observed(async (b) => {
      await b.start({ traceparent: CLIENT });
      await b.turn([asks("look", "a")]);
      await b.answer(0, ok("hunter2"));
    });
    expect(audit).toEqual([
      {
        request_id: RUN,
        conversation_id: CONVERSATION,
        call_id: `${RUN}.1.0`,
        round: 1,
        tool_name: "look",
        tool_version: "1",
        kind: "read",
        status: "ok",
        latency_ms: expect.any(Number),
        args_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
        provider: "vendor",
        trace_id: CLIENT.slice(3, 35),
        at: expect.stringMatching(/^20\d\d-/),
      },
    ]);
    expect(lines).toEqual([
      expect.objectContaining({
        level: "debug",
        runId: RUN,
        callId: `${RUN}.1.0`,
        tool: "look",
        status: "ok",
        kind: "read",
        provider: "vendor",
      }),
    ]);
    expect(JSON.stringify([audit, lines])).not.toContain("hunter2");
  });

  it("joins a call with what the models used and cost that its tool called itself, in the log and in its span", async () => {
    const model = { calls: 2, inputTokens: 1000, outputTokens: 50, costMicroUsd: 2100 };
    const metadata = { tool: "look", agent: "default", startedAt: 1, endedAt: 2, latencyMs: 1, ok: true, attempt: 1, model };
    const { lines, spans } = await observed(async (b) => {
      await b.start();
      await b.turn([asks("look", "a"), asks("look", "b")]);
      await b.answer(0, { ...ok("summed up"), metadata });
      await b.answer(1, ok("without a model"));
    });
    expect(lines).toMatchObject([{ callId: `${RUN}.1.0`, model }, { callId: `${RUN}.1.1` }]);
    expect(lines[1]).not.toHaveProperty("model");
    expect(spans.flatMap(({ events }) => events.map(({ attributes }) => attributes))).toMatchObject([
      {
        "gen_ai.tool.call.id": `${RUN}.1.0`,
        "toolbus.tool.model.calls": 2,
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 50,
        "toolbus.cost.micro_usd": 2100,
      },
      { "gen_ai.tool.call.id": `${RUN}.1.1` },
    ]);
  });

  it("also records what never reached a worker: an unknown tool, broken arguments, a denied write, one that was skipped, and a cancel", async () => {
    const { audit, lines } = await observed(async (b) => {
      await b.start();
      await b.turn([
        asks("fly", "a"),
        { id: "broken", name: "look", arguments: "{" },
        asks("change", "b"),
        asks("change", "c"),
        asks("look", "d"),
      ]);
      await b.commit(callDecided(await b.snapshot(), decision("rejected"), undefined, b.rules));
      await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "user:ada" }, b.rules));
    });
    expect(audit.map(({ call_id, tool_name, kind, status }) => [call_id.slice(RUN.length), tool_name, kind, status])).toEqual([
      [".1.0", "fly", "unknown", "unknown_tool"],
      [".1.1", "look", "read", "validation_error"],
      [".1.2", "change", "write", "denied"],
      [".1.3", "change", "write", "not_executed"],
      [".1.4", "look", "read", "cancelled"],
    ]);
    // The denied call, and the calls that ended because of the denial, did not fail.
    expect(lines).toMatchObject([
      { message: "a tool call failed", level: "info", code: "tool_not_found" },
      { message: "a tool call failed", level: "info", code: "invalid_arguments" },
      { message: "a tool call ended", level: "debug", code: "denied_by_user" },
      { message: "a tool call ended", level: "debug", code: "skipped" },
      { message: "a tool call ended", level: "debug", code: "cancelled" },
    ]);
  });

  it("has one line for the start of a run and one for its end, with the reason and its writes", async () => {
    const { runs } = await observed(async (b) => {
      await b.start();
      await b.turn([asks("change", "w")]);
      const { callId: toolCallId } = await b.call(0);
      const { now } = await b.snapshot();
      const decided = { toolCallId, approvalId: "ap", outcome: "approved" as const, decidedBy: ["ana"], executeBy: now + 900_000 };
      await b.commit(callDecided(await b.snapshot(), { ...decided, grantExpiresAt: now + 900_000 }, "g", b.rules));
      await b.answer(0, ok("it happened"));
      b.advance(1500);
      await b.commit(failRun(await b.snapshot(), { code: "time_limit", message: "It took too long." }, b.rules));
    });
    const about = { runId: RUN, profile: "test" };
    expect(runs).toMatchObject([
      { ...about, message: "a run began" },
      {
        ...about,
        message: "a run failed",
        status: "failed",
        code: "time_limit",
        why: "1 write happened: change (Changes it), approved by ana; then the run ended: It took too long.",
        tookMs: 1500,
        toolCalls: 1,
        writes: 1,
      },
    ]);
  });

  it("records a call once, however often its answer arrives", async () => {
    const { audit } = await observed(async (b) => {
      await b.start();
      await b.turn([asks("look", "a"), asks("look", "b")]);
      await b.answer(0, failedResult("timeout", "It took too long."));
      await b.answer(0, ok("{}"));
    });
    expect(audit.map(({ status }) => status)).toEqual(["timeout"]);
  });

  it("warns of a write whose outcome nobody knows", async () => {
    const { lines } = await observed(async (b) => {
      await b.start();
      await b.turn([asks("look", "a"), asks("look", "b")]);
      await b.answer(0, failedResult("outcome_unknown", "It may have happened."));
    });
    expect(lines).toMatchObject([{ message: "a tool call failed", level: "warn", status: "outcome_unknown" }]);
  });
});

interface Seen {
  readonly events: readonly { readonly attributes: Readonly<Record<string, unknown>> }[];
}

function decision(outcome: "rejected") {
  return { toolCallId: `${RUN}.1.2`, approvalId: `ap_${RUN}.1.2`, outcome, decidedBy: ["approver:bo"] };
}

/** Runs a scenario, reports each of its commits to the observer, and returns what it recorded. */
async function observed(scenario: (b: Bundle) => Promise<void>) {
  const file = path.join(dir, "audit.jsonl");
  const telemetry = await startTelemetry({
    env: { TOOL_AUDIT_FILE: file, TRACE_DIR: path.join(dir, "traces") },
    serviceName: "agent",
    log: silentLog,
    newKey: () => "k".repeat(43),
    monotonic: () => performance.now(),
  });
  const lines: object[] = [];
  const runs: object[] = [];
  const tell =
    (level: string) =>
    (fields: object, message: string): void =>
      void ("callId" in fields ? lines.push({ ...fields, level, message }) : runs.push({ ...fields, message }));
  const log: Log = { ...silentLog, debug: tell("debug"), info: tell("info"), warn: tell("warn") };
  const b = bundle();
  const commits = vi.spyOn(b.state, "commit");
  await scenario(b);
  await withSpan("commits", {}, async () => {
    for (const [index, [, change]] of commits.mock.calls.entries()) {
      const reply = await commits.mock.results[index]?.value;
      if (reply?.outcome === "ok") observeRun(change, reply.now, { provider: () => "vendor", log });
    }
  });
  await telemetry.shutdown(5000);
  const audit = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditLine);
  const traces = readdirSync(path.join(dir, "traces")).map((name) => readFileSync(path.join(dir, "traces", name), "utf8"));
  return { audit, lines, runs, spans: traces.map((text) => JSON.parse(text) as Seen) };
}
