import { keys } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { lookAtCall } from "./look-at-call.ts";
import { MAX_INVOKES } from "../transitions/redispatch.ts";
import { asks, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { takeEntry } from "./inbox.ts";

const CALL = `${RUN}.1.0`;

async function setup(tool: "look" | "change") {
  const s = await readerUnderTest();
  await takeEntry(s.reader, RUN, RUN);
  await s.b.turn([asks(tool, "a")]);
  return {
    ...s,
    look: (dispatch: number, requests = 0, runId = RUN) => lookAtCall(s.reader, runId, { callId: CALL, dispatch, requests }),
    async [Symbol.asyncDispose]() {
      await s[Symbol.asyncDispose]();
    },
  };
}

describe("an operator's look at a call", () => {
  it("sends it again at once, with a new number and its secret", async () => {
    await using s = await setup("look");
    await s.b.sent();
    expect(await s.look(1)).toEqual({ kind: "ack" });
    const { secret } = await s.b.call(0);
    expect((await s.b.sent()).map(({ id, attributes }) => [id, attributes["toolbus-call-secret"]])).toEqual([[`${CALL}#2`, secret]]);
  });

  it("counts once, however often it arrives", async () => {
    await using s = await setup("look");
    await Promise.all([s.look(1), s.look(1)]);
    await s.look(1);
    expect((await s.b.call(0)).dispatch).toBe(2);
  });

  it("sends a call once more that has used up its automatic dispatches", async () => {
    await using s = await setup("look");
    for (let n = 1; n <= MAX_INVOKES; n++) await s.look(n);
    expect((await s.b.call(0)).dispatch).toBe(MAX_INVOKES + 1);
  });

  it("asks approvals again for a write that waits for its grant", async () => {
    await using s = await setup("change");
    await s.b.sent();
    await s.look(0, 1);
    await s.look(0, 1);
    expect((await s.b.sent()).map(({ id }) => id)).toEqual([`request:${CALL}#2`]);
  });

  it("does nothing to a call that has its result, belongs to another run, or does not exist", async () => {
    await using s = await setup("look");
    await s.look(1, 0, "rn_03_01JD0000000000000000000009");
    expect((await s.b.call(0)).dispatch).toBe(1);
    await s.b.answer(0);
    const before = (await s.b.state.read([keys.call(CALL), keys.run(RUN)])).documents;
    expect(await s.look(1)).toEqual({ kind: "ack" });
    expect((await s.b.state.read([keys.call(CALL), keys.run(RUN)])).documents).toEqual(before);
    const none = "rn_03_01JD0000000000000000000009";
    expect(await lookAtCall(s.reader, none, { callId: `${none}.1.0`, dispatch: 1, requests: 0 })).toEqual({ kind: "ack" });
  });
});
