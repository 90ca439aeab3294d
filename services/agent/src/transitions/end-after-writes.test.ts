import { describe, expect, it } from "vitest";
import { cancelRun } from "./cancel.ts";
import { callDecided } from "./decided.ts";
import { failRun, finishCancel } from "./end.ts";
import { asks, bundle, ok } from "../testing/test-bundle.ts";

const OUT_OF_TIME = { code: "time_limit", message: "The run used its 30 s of active time without an answer." };

/** Returns a run with two writes, allowed by ana and by the policy. The first write was sent. */
async function twoGranted() {
  const b = bundle();
  await b.start();
  await b.turn([asks("change", "w1"), asks("change", "w2", { n: 2 })]);
  const { now } = await b.snapshot();
  for (const [index, decidedBy] of [["ana"], ["policy"]].entries()) {
    const { callId: toolCallId } = await b.call(index);
    const decided = { toolCallId, approvalId: `ap_${toolCallId}`, outcome: "approved", decidedBy } as const;
    await b.commit(callDecided(await b.snapshot(), { ...decided, grantExpiresAt: now + 900_000, executeBy: now + 900_000 }, "g", b.rules));
  }
  return b;
}

describe("a run that ends early", () => {
  it("after a write says so first: in its answer, its last event and its conversation", async () => {
    const b = await twoGranted();
    await b.answer(0, ok("it happened"));
    await b.answer(1, ok("it happened too"));
    await b.commit(failRun(await b.snapshot(), OUT_OF_TIME, b.rules));
    const text = `2 writes happened: change (Changes it), approved by ana; change (Changes it), allowed by policy; then the run ended: ${OUT_OF_TIME.message}`;
    const { run } = await b.snapshot();
    expect(run.value.ending).toEqual({ text, code: "time_limit" });
    expect(run.value.writes).toMatchObject({ happened: 2, unknown: 0, latest: [{ approvedBy: ["ana"] }, { approvedBy: ["policy"] }] });
    expect((await b.events()).at(-1)).toMatchObject({ type: "run.failed", message: text, writes: { happened: 2 } });
    expect((await b.transcript()).at(-1)).toMatchObject({ type: "assistant", text, calls: [] });
  });

  it("by a cancel reports what was sent by then, and which outcomes are unknown", async () => {
    const b = await twoGranted();
    await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules));
    await b.answer(0, { status: "outcome_unknown", content: "?", isError: true });
    await b.commit(finishCancel(await b.snapshot(), b.rules));
    expect((await b.events()).at(-1)).toMatchObject({
      type: "run.cancelled",
      message: "1 write may have happened: change (Changes it), approved by ana; then the run ended: The run was cancelled.",
    });
  });

  it("without a write says why and adds nothing to its conversation", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", "r1")]);
    await b.answer(0);
    const before = await b.transcript();
    await b.commit(failRun(await b.snapshot(), OUT_OF_TIME, b.rules));
    const { run } = await b.snapshot();
    expect([run.value.ending?.text, run.value.writes]).toEqual([OUT_OF_TIME.message, undefined]);
    expect(await b.transcript()).toEqual(before);
  });
});
