import { type Json, keys, type LedgerRow, message, topics } from "@toolbus/contracts";
import { grantStaleMessage, readResult, signAnswer } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { asks, ok, RUN } from "../testing/test-bundle.ts";
import { proofKeys, signedRow } from "../testing/test-proofs.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { callDecided, callHeld } from "../transitions/decided.ts";
import { redispatch } from "../transitions/redispatch.ts";
import { onResult } from "./consumers.ts";
import { takeEntry } from "./inbox.ts";
import { lookAtCall } from "./look-at-call.ts";

const CALL = `${RUN}.1.0`;
const CHANGED = `sha256-${"A".repeat(43)}`;
const WORKER = proofKeys.identityOf("worker.test").signer;

/** Returns a run whose write was approved and sent. While people decided, the agent asked approvals `checks` times about it. */
async function setup({ checks = 0 }: { readonly checks?: number } = {}) {
  const under = await readerUnderTest();
  const { b, reader } = under;
  await takeEntry(reader, RUN, RUN);
  await b.turn([asks("change", "w", { n: 1 })]);
  const approvalId = `ap_${CALL}`;
  const call = () => b.call(0);
  const granted = async () => {
    const { now } = await b.snapshot();
    const terms = { grantExpiresAt: now + 900_000, executeBy: now + 86_400_000 };
    await b.commit(callDecided(await b.snapshot(), { toolCallId: CALL, approvalId, outcome: "approved", ...terms }, "g", b.rules));
  };
  const timer = async () => b.commit(redispatch(await b.snapshot(), CALL, null, b.rules));
  const refuse = async (toolHash: string) => {
    const { secret, dispatch, toolName, argsHash } = await call();
    const invoke = message({
      id: `${CALL}#${dispatch}`,
      topic: topics.invoke("test"),
      type: "toolbus.tool.invoke",
      source: "/agent",
      now: 1,
      attributes: { "toolbus-call-secret": secret },
      body: {},
      replyTo: topics.result("default"),
    });
    const parts = { invoke, call: { toolCallId: CALL, toolName }, dispatch, source: "worker.test", now: 1, reason: "tool_hash" };
    const unsigned = readResult(grantStaleMessage(parts));
    if (!unsigned.ok) throw new Error("A worker's answer is readable.");
    const about = { callId: CALL, toolset: "test", tool: toolName, toolHash, argsHash };
    const receipt = await signAnswer(about, { result: unsigned.value.result, fence: 0, at: 1, stale: true }, WORKER);
    const context = { count: 1, redelivered: false, signal: new AbortController().signal };
    await onResult(reader, grantStaleMessage({ ...parts, receipt }), context);
  };
  const { now } = await b.snapshot();
  const held = { toolCallId: CALL, approvalId, tier: "high", expiresAt: now + 900_000, effect: "Changes it." } as const;
  await b.commit(callHeld(await b.snapshot(), held, b.rules));
  for (let n = 0; n < checks; n++) await timer();
  await granted();
  return {
    ...under,
    call,
    granted,
    timer,
    /** Delivers the answer of a worker that has the definition with this hash. */
    refuse,
    /** The worker refuses the write twice, and the agent gets a fresh grant each time and sends the write again. */
    async refusedTwice(toolHash = CHANGED) {
      await refuse(toolHash);
      await granted();
      await refuse(toolHash);
      await timer();
      await granted();
    },
    stop: async () => (await b.state.read([keys.stop(CALL)])).documents[0]?.value,
    /** Puts a row into the ledger, as a worker with the approved definition does. */
    async put(part: Partial<LedgerRow>) {
      const { toolName, toolHash, argsHash } = await call();
      const key = keys.ledger("test", CALL);
      const begun: LedgerRow = {
        callId: CALL,
        toolName,
        toolHash,
        argsHash,
        jti: approvalId,
        state: "begun",
        fence: 1,
        lease: null,
        beganAt: 1,
      };
      const value = (await signedRow({ ...begun, ...part })) as unknown as Json;
      await b.state.commit("03", { op: "row", guards: [{ key, version: 0 }], put: [{ key, value }] });
    },
    /** Does the work of the call's timer with what the ledger says. */
    async look() {
      const { dispatch, requests } = await call();
      await lookAtCall(reader, RUN, { callId: CALL, dispatch, requests });
      return (await call()).result;
    },
  };
}

describe("an approved write whose worker has another definition now", () => {
  it("gets a fresh grant at once and later once more, and then ends as changed, with nothing done", async () => {
    await using t = await setup();
    await t.refuse(CHANGED);
    expect(await t.call()).toMatchObject({ state: "requested", requests: 2 });
    await t.granted();
    await t.refuse(CHANGED);
    expect(await t.call()).toMatchObject({ state: "requested", requests: 2, dispatch: 2 });
    await t.timer();
    await t.granted();
    expect([(await t.call()).dispatch, await t.stop()]).toEqual([3, undefined]);
    await t.refuse(CHANGED);
    expect([(await t.call()).state, await t.stop()]).toMatchObject(["dispatched", { reason: "tool_changed" }]);
    expect(await t.look()).toMatchObject({
      status: "not_executed",
      error: {
        code: "tool_changed",
        message: expect.stringMatching(/^The definition of "change" was changed under version 1 after this run began.+nothing was done/),
      },
    });
    expect((await t.b.events()).filter(({ type }) => type === "call.resolved")).toMatchObject([{ status: "not_executed" }]);
  });

  it("is done if a later try reaches a worker that still has the approved definition", async () => {
    await using t = await setup();
    await t.refusedTwice();
    await t.b.answer(0);
    expect((await t.call()).result).toEqual(ok());
  });

  it("is not ended while a worker with the approved definition has sent it, and ends with what that worker recorded", async () => {
    await using sending = await setup();
    await sending.refusedTwice();
    await sending.put({ state: "sending", sendingAt: 1, prepared: { value: "p" } });
    await sending.refuse(CHANGED);
    expect([await sending.look(), (await sending.call()).state]).toEqual([undefined, "dispatched"]);

    await using done = await setup();
    await done.refusedTwice();
    await done.put({ state: "done", doneAt: 1, result: ok() });
    await done.refuse(CHANGED);
    expect(await done.look()).toEqual(ok());
  });

  it("has an unknown outcome if the ledger may have forgotten it", async () => {
    await using t = await setup();
    const why = { asked: false, unproven: false, forgetful: true, changed: true };
    await t.b.commit(redispatch(await t.b.snapshot(), CALL, null, t.b.rules, why));
    expect((await t.call()).result).toMatchObject({ status: "outcome_unknown" });
  });

  it("is not ended by refusals of a worker that has the approved definition but cannot use the grant", async () => {
    await using t = await setup();
    const { toolHash } = await t.call();
    await t.refusedTwice(toolHash);
    await t.refuse(toolHash);
    expect([(await t.call()).state, await t.stop()]).toEqual(["requested", undefined]);
  });

  it("is not ended at the first refusal because it was sent again without an answer, or asked about while people decided", async () => {
    await using sent = await setup();
    for (const seconds of [20, 40, 80]) {
      sent.b.advance(seconds * 1000);
      await sent.timer();
    }
    await sent.refuse(CHANGED);
    expect(await sent.call()).toMatchObject({ state: "requested", requests: 2, dispatch: 4 });

    await using asked = await setup({ checks: 3 });
    await asked.refuse(CHANGED);
    expect(await asked.call()).toMatchObject({ state: "requested", requests: 5, dispatch: 1 });
  });
});
