import { attributes, failedResult, type Message, message, messageTypes, type ToolResult, toolErrors } from "@toolbus/contracts";
import { answerHash, secretHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { readResult } from "./read-result.ts";
import { grantStaleMessage, resultMessage, sendable } from "./result-message.ts";

const CALL = { toolCallId: "rn_03_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.0", toolName: "look_up" };
const invoke: Message = message({
  id: "i",
  topic: "tool.invoke.orders",
  type: messageTypes.toolInvoke,
  source: "agent.a",
  now: 0,
  attributes: { [attributes.callSecret]: "s" },
  body: {},
});
const parts = { invoke, call: CALL, dispatch: 3, source: "worker.orders", now: 1000 };

describe("the answer to a tool call", () => {
  it("has exactly the fields of the contract in its body", () => {
    const ok = resultMessage({ ...parts, result: { status: "ok", content: "x", isError: false } });
    expect(ok).toMatchObject({
      id: `${CALL.toolCallId}#r3`,
      topic: "tool.result.default",
      type: messageTypes.toolResult,
      correlationId: CALL.toolCallId,
    });
    expect(JSON.parse(ok.body)).toEqual({ ...CALL, content: "x", isError: false });
    const failed = resultMessage({ ...parts, result: failedResult("execution_failed", "It broke.") });
    expect(failed.type).toBe(messageTypes.toolError);
    expect(JSON.parse(failed.body)).toEqual({ ...CALL, code: "ExecutionFailed", message: "It broke.", isRetryable: false });
    const denied = resultMessage({ ...parts, result: failedResult("policy_denied", "No.") });
    expect(denied.type).toBe(messageTypes.toolResult);
    expect(JSON.parse(denied.body)).toMatchObject({ isError: true, content: expect.stringContaining("POLICY_DENIED") });
  });

  it("goes to the agent that the call names, and to the default one if it names none", () => {
    const result: ToolResult = { status: "ok", content: "x", isError: false };
    const to = (replyTo?: string): string =>
      resultMessage({ ...parts, invoke: { ...invoke, ...(replyTo === undefined ? {} : { replyTo }) }, result }).topic;
    expect([to(), to("tool.result.scout"), to("tool.result.default")]).toEqual([
      "tool.result.default",
      "tool.result.scout",
      "tool.result.default",
    ]);
  });

  it("is read back as it was sent: 3,000 results of any shape", () => {
    const random = seeded(7);
    for (let i = 0; i < 3000; i++) {
      const result = anyResult(random);
      const receipt = random() < 0.5 ? "a.b.c" : undefined;
      const sent = resultMessage({ ...parts, result, receipt });
      expect(Object.values(sent.attributes).every((value) => /^[\x20-\x7e]*$/.test(value))).toBe(true);
      expect(readResult(JSON.parse(JSON.stringify(sent)))).toEqual({
        ok: true,
        value: {
          callId: CALL.toolCallId,
          secretHash: secretHash("s"),
          result: sendable(result),
          ...(receipt === undefined ? {} : { receipt }),
        },
      });
      expect(sendable(sendable(result))).toEqual(sendable(result));
      // The reader verifies the same hash that the worker signed.
      const read = readResult(sent);
      expect(read.ok && answerHash(read.value.result)).toBe(answerHash(sendable(result)));
    }
  });

  it("stays within its limits whatever a tool says", () => {
    const details = Array.from({ length: 16 }, () => ({ path: "/p".repeat(500), message: "ü".repeat(5000) }));
    const sent = resultMessage({ ...parts, result: failedResult("invalid_arguments", "Wrong.", { details }) });
    expect(sent.attributes[attributes.errorDetails]?.length).toBeLessThanOrEqual(4096);
    expect(readResult(sent).ok).toBe(true);
  });

  it("of a worker without limits is truncated to ours", () => {
    const own = resultMessage({ ...parts, result: { status: "ok", content: "x", isError: false } });
    const content = "ü".repeat(100_000);
    for (const named of [own.attributes, { [attributes.secretHash]: secretHash("s") }]) {
      const read = readResult({ ...own, attributes: named, body: JSON.stringify({ ...CALL, content, isError: false }) });
      expect(read).toMatchObject({ ok: true, value: { result: { status: "ok", truncated: true } } });
      expect(Buffer.byteLength(JSON.stringify(read))).toBeLessThan(60 * 1024);
    }
  });

  it("is refused if it was tampered with or is something else", () => {
    const good = resultMessage({ ...parts, result: { status: "ok", content: "x", isError: false } });
    const bad: readonly Message[] = [
      { ...good, type: messageTypes.toolInvoke },
      { ...good, body: "{" },
      { ...good, body: JSON.stringify({ ...CALL, content: "x", isError: false, more: 1 }) },
      { ...good, body: JSON.stringify({ ...CALL, content: "x", isError: true }) },
      { ...good, correlationId: "rn_03_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.1" },
      { ...good, attributes: { ...good.attributes, [attributes.secretHash]: undefined } as unknown as Message["attributes"] },
      { ...good, attributes: { ...good.attributes, [attributes.resultMetadata]: "[]" } },
      { ...good, attributes: { ...good.attributes, [attributes.resultMetadata]: '{"status":"fine"}' } },
    ];
    for (const message of bad) expect(readResult(message).ok).toBe(false);
  });

  it("is understood without our metadata: a worker in another language sends the bare body", () => {
    const { [attributes.resultMetadata]: _, ...bare } = resultMessage({
      ...parts,
      result: { status: "ok", content: "x", isError: false },
    }).attributes;
    const base = resultMessage({ ...parts, result: { status: "ok", content: "x", isError: false } });
    expect(readResult({ ...base, attributes: bare })).toMatchObject({ ok: true, value: { result: { status: "ok", content: "x" } } });
    const failure = {
      ...base,
      type: messageTypes.toolError,
      attributes: bare,
      body: JSON.stringify({ ...CALL, code: "Timeout", message: "Late.", isRetryable: true }),
    };
    expect(readResult(failure)).toMatchObject({
      ok: true,
      value: { result: { status: "timeout", error: { code: "timeout", retryable: true } } },
    });
  });

  it("says that a grant is stale, bound to the call's secret", () => {
    const stale = grantStaleMessage({ ...parts, reason: "expired" });
    expect(JSON.parse(stale.body)).toMatchObject({ ...CALL, code: "grant_stale", isRetryable: true });
    expect(readResult(stale)).toMatchObject({
      ok: true,
      value: { callId: CALL.toolCallId, secretHash: secretHash("s"), result: { isError: true } },
    });
  });
});

function anyResult(random: () => number): ToolResult {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const text = (): string =>
    Array.from({ length: Math.floor(random() * 30) }, () => pick(["a", '"', "\n", "é", "😀", "\\", "\u0000", "{", " "])).join("");
  const metadata = { tool: "look_up", agent: "ä", startedAt: 1, endedAt: 2, latencyMs: 1.5, ok: true, attempt: 1 };
  const more = { ...(random() < 0.5 ? { metadata } : {}), ...(random() < 0.2 ? { truncated: true } : {}) };
  if (random() < 0.3) return { status: "ok", content: text(), isError: false, ...more };
  const details = random() < 0.4 ? { details: [{ path: "/a", message: `x${text()}`.trim() }] } : {};
  const failed = failedResult(pick([...Object.keys(toolErrors), "release_not_found"]), text(), {
    ...details,
    ...(random() < 0.3 ? { retryAfter: 3 } : {}),
    ...(more.truncated ? { truncated: true } : {}),
  });
  return { ...failed, ...more, ...(random() < 0.2 ? { content: text() } : {}) };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
