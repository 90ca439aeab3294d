import { describe, expect, it } from "vitest";
import { callDecided } from "./decided.ts";
import { asks, bundle, RUN } from "../testing/test-bundle.ts";

describe("the writes of a turn", () => {
  it("wait for the one before them, which is still running, although they have their grant", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("change", "w1", { n: 1 }), asks("change", "w2", { n: 2 })]);
    const approve = async (index: number) => {
      const snapshot = await b.snapshot();
      const { callId: toolCallId } = await b.call(index);
      const until = { grantExpiresAt: snapshot.now + 900_000, executeBy: snapshot.now + 900_000 };
      await b.commit(
        callDecided(snapshot, { toolCallId, approvalId: `ap_${toolCallId}`, outcome: "approved", ...until }, "a.b.c", b.rules),
      );
    };
    const invoked = async () =>
      (await b.sent()).filter(({ topic }) => topic === "tool.invoke.test").map(({ correlationId }) => correlationId);
    await approve(1);
    expect(await invoked()).toEqual([]);
    await approve(0);
    expect(await invoked()).toEqual([`${RUN}.1.0`]);
    // The same decision is delivered again.
    await approve(1);
    expect(await invoked()).toEqual([]);
    await b.answer(0);
    expect(await invoked()).toEqual([`${RUN}.1.1`]);
  });
});
