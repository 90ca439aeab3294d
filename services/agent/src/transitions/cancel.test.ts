import { keys } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { acquire } from "./acquire.ts";
import { cancelRun } from "./cancel.ts";
import { callDecided } from "./decided.ts";
import { finishCancel } from "./end.ts";
import { asks, bundle, CONVERSATION, ok, RUN } from "../testing/test-bundle.ts";

const SECOND = "rn_03_01JD0000000000000000000002";

describe("cancelling", () => {
  it("ends a run without open calls at once, and keeps its model call from committing", async () => {
    const b = bundle();
    await b.start();
    const got = acquire(await b.snapshot(), { by: "m", redelivered: false }, b.rules);
    await b.commit(got.kind === "acquired" ? got.change : null);
    await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules));
    expect((await b.events()).at(-1)).toMatchObject({ type: "run.cancelled", by: "ada" });
    expect(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules)).toBeNull();
  });

  it("gives every open call its result, but waits for a write that was sent", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("change", "w1"), asks("change", "w2")]);
    const { callId } = await b.call(0);
    const now = (await b.snapshot()).now;
    await b.commit(
      callDecided(
        await b.snapshot(),
        { toolCallId: callId, approvalId: `ap_${callId}`, outcome: "approved", grantExpiresAt: now + 900_000, executeBy: now + 900_000 },
        "g",
        b.rules,
      ),
    );
    await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules));
    expect((await b.call(1)).result?.status).toBe("cancelled");
    expect((await b.call(0)).state).toBe("dispatched");
    expect((await b.state.read([keys.stop(callId)])).documents[0]).not.toBeNull();
    expect(await b.answer(0, ok("it happened"))).toBe("ok");
    await b.commit(finishCancel(await b.snapshot(), b.rules));
    expect((await b.transcript()).filter((entry) => entry.type === "result")).toHaveLength(2);
    expect((await b.events()).at(-1)?.type).toBe("run.cancelled");
  });

  it("takes a queued run out of the queue and leaves the active one alone", async () => {
    const b = bundle();
    await b.start();
    await b.start({ runId: SECOND, entryId: SECOND });
    await b.commit(cancelRun(await b.snapshot(SECOND), { entryId: "e", by: "ada" }, b.rules));
    expect((await b.snapshot()).conversation.value).toMatchObject({ conversationId: CONVERSATION, activeRun: RUN, queue: [] });
    expect((await b.snapshot(SECOND)).run.value.status).toBe("cancelled");
  });
});
