import { type Json, keys, parser, WEBHOOK_BODIES } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { callDecided, callHeld } from "./transitions/decided.ts";
import { failRun } from "./transitions/end.ts";
import { asks, bundle, ok } from "./testing/test-bundle.ts";
import type { Origins } from "./origins.ts";
import { contentOfRun, endedRunsIn } from "./reported-runs.ts";

const ORIGIN = {
  tenant: "acme",
  principal: "user:ada",
  scopes: [],
  agent: "default",
  messageHash: "hash",
  via: { kind: "http" as const },
  createdAt: 1_800_000_000_000,
  openUntil: 1_800_086_400_000,
};

/**
 * Returns a failed run with one read and three writes. Ana allowed a write that happened. The policy allowed a write that may have happened. The
 * third write was denied.
 */
async function endedRun() {
  const b = bundle({ profile: { continueAfterFailedWrite: true } });
  await b.start();
  const { conversationId, runId } = (await b.snapshot()).run.value;
  const registration = b.tools.get("change");
  if (!registration) throw new Error("no tool");
  const key = keys.registration("test", "change", "1");
  await b.state.commit("00", { op: "tool", guards: [{ key, version: 0 }], put: [{ key, value: registration as unknown as Json }] });
  await b.turn([asks("look", "r"), asks("change", "w1"), asks("change", "w2", { n: 2 }), asks("change", "w3", { n: 3 })]);
  const callId = async (index: number) => (await b.call(index)).callId;
  const { now } = await b.snapshot();
  const about = async (index: number) => ({ toolCallId: await callId(index), approvalId: `ap_${await callId(index)}` });
  const granted = { outcome: "approved", grantExpiresAt: now + 900_000, executeBy: now + 900_000 } as const;
  await b.commit(
    callHeld(await b.snapshot(), { ...(await about(2)), tier: "high", expiresAt: now + 900_000, effect: "Refund 5 EUR." }, b.rules),
  );
  await b.commit(callDecided(await b.snapshot(), { ...(await about(2)), ...granted, decidedBy: ["ana"] }, "g", b.rules));
  await b.commit(callDecided(await b.snapshot(), { ...(await about(1)), ...granted, decidedBy: ["policy"] }, "g", b.rules));
  await b.commit(callDecided(await b.snapshot(), { ...(await about(3)), outcome: "rejected", decidedBy: ["ben"] }, undefined, b.rules));
  await b.answer(0);
  await b.answer(1, { status: "outcome_unknown", content: "?", isError: true });
  await b.answer(2, ok());
  const change = failRun(await b.snapshot(), { code: "round_limit", message: "No round is left." }, b.rules);
  const origins: Origins = { of: async (id) => (id === runId ? { ...ORIGIN, runId, conversationId } : null) };
  return { b, runId, change, origins };
}

describe("a run that has ended", () => {
  it("is reported with every call, writes that happened first, each with its outcome, its approvers and its effect", async () => {
    const { b, runId, change, origins } = await endedRun();
    expect(await contentOfRun(b.state, origins, runId)).toBeNull();
    await b.commit(change);
    const content = await contentOfRun(b.state, origins, runId);
    expect(content).toMatchObject({
      tenant: "acme",
      data: {
        run: { runId, status: "failed", requester: "user:ada", code: "round_limit" },
        written:
          "1 write happened: change (Changes it), approved by ana; 1 write may have happened: change (Changes it), allowed by policy",
        calls: [
          { tool: "change", kind: "write", outcome: "ok", approvedBy: ["ana"], effect: "Refund 5 EUR." },
          { tool: "change", kind: "write", outcome: "outcome_unknown", approvedBy: ["policy"], effect: "Changes it." },
          { tool: "change", kind: "write", outcome: "denied", effect: "Changes it." },
          { tool: "look", kind: "read", outcome: "ok", effect: null },
        ],
      },
    });
    const body = { type: "run.ended", timestamp: new Date(0).toISOString(), data: content?.data };
    expect(parser(WEBHOOK_BODIES["run.ended"])(JSON.parse(JSON.stringify(body)))).toMatchObject({ ok: true });
    expect(await contentOfRun(b.state, { of: async () => null }, runId)).toBeNull();
  });

  it("is recorded by the very commit that ends it, and by no other; a sub-run is reported with its root", async () => {
    const { b, runId, change } = await endedRun();
    const { now } = await b.snapshot();
    expect(endedRunsIn(change)).toEqual([{ event: "run.ended", subject: runId, at: now, dueIn: 0 }]);
    const ofSub = change.append?.map((one) => ({ ...one, log: one.log.replace(runId, `${runId}~1`) }));
    expect(endedRunsIn({ ...change, append: ofSub ?? [] })).toEqual([]);
    const others = change.append?.filter(({ log }) => !log.startsWith("tb:events:"));
    expect(endedRunsIn({ ...change, append: others ?? [] })).toEqual([]);
  });
});
