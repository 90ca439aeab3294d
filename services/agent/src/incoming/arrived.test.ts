import type { LedgerRow } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { offlineModel } from "@toolbus/models";
import { memoryStore, referToText } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { answerArrived, rowArrived } from "./arrived.ts";
import { joinResult } from "../transitions/join.ts";
import { redispatch } from "../transitions/redispatch.ts";
import { asks, type Bundle, bundle, RUN } from "../testing/test-bundle.ts";

const CALL = `${RUN}.1.0`;
const TEXT = "A line of a long result.\n".repeat(4000);

/** Returns a run whose only call was sent, with a long result of the call in the store. */
async function setup(tool: "look" | "change") {
  const b = bundle();
  await b.start();
  await b.turn([asks(tool, "c")]);
  let reads = 0;
  const state = { ...b.state, getBlob: (hash: string) => (reads++, b.state.getBlob(hash)) };
  const parts = { state, rules: b.rules, modelOf: () => offlineModel(), log: silentLog };
  const result = { status: "ok" as const, isError: false, ...(await referToText(b.state, TEXT)) };
  return { b, parts, result, reads: () => reads };
}

const indexed = async (b: Bundle): Promise<unknown> => (await b.transcript()).findLast((entry) => entry.type === "result");

describe("a long result that arrives", () => {
  it("as an answer is joined with its index, and nothing is read for an answer that joins nothing", async () => {
    const { b, parts, result, reads } = await setup("look");
    const before = await b.snapshot();
    const forged = { callId: CALL, secretHash: secretHash("guessed"), result };
    expect(await answerArrived(parts, before, forged)).toEqual({ snapshot: before, arrived: forged });
    expect(await answerArrived(parts, before, { ...forged, callId: `${RUN}.9.9` })).toMatchObject({ snapshot: before });
    expect(reads()).toBe(0);
    const answer = { ...forged, secretHash: secretHash((await b.call(0)).secret) };
    const { snapshot, arrived } = await answerArrived(parts, before, answer);
    const joined = joinResult(snapshot, arrived, b.rules);
    await b.commit(joined.kind === "join" ? joined.change : null);
    expect(await indexed(b)).toMatchObject({
      status: "ok",
      indexKey: expect.stringMatching(`-${CALL}-index$`),
      content: expect.stringContaining("2 chunks"),
    });
    // The repeat is recognised by its hash, without reading the text.
    const read = reads();
    const again = await answerArrived(parts, await b.snapshot(), answer);
    expect(joinResult(again.snapshot, again.arrived, b.rules)).toEqual({ kind: "duplicate", differs: false });
    expect(reads()).toBe(read);
  });

  it("from a worker's ledger ends the call as its answer would have", async () => {
    const { b, parts, result } = await setup("change");
    const snapshot = await b.snapshot();
    const sent = {
      ...snapshot,
      calls: snapshot.calls.map(({ version, value }) => ({ version, value: { ...value, state: "dispatched" as const, dispatch: 1 } })),
    };
    const row: LedgerRow = {
      callId: CALL,
      toolName: "change",
      toolHash: "h",
      argsHash: "a",
      state: "done",
      fence: 1,
      lease: null,
      jti: "ap",
      beganAt: 0,
      result,
    };
    const seen = await rowArrived(parts, sent, CALL, row);
    await b.commit(redispatch(seen.snapshot, CALL, seen.arrived, b.rules));
    expect(await indexed(b)).toMatchObject({ status: "ok", content: expect.stringContaining("| 2 |") });
    expect((await b.call(0)).result?.contentRef).toEqual(result.contentRef);
  });

  it("of a write whose text is lost stays a write that happened", async () => {
    const { b, parts, result } = await setup("change");
    const gone = { ...parts, state: memoryStore({ clock: () => 0 }) };
    const answer = { callId: CALL, secretHash: null, result };
    const { arrived } = await answerArrived(gone, await b.snapshot(), answer);
    expect(arrived.result).toMatchObject({ status: "ok", isError: false, truncated: true });
    expect(arrived.result.contentRef).toBeUndefined();
    expect(arrived.result.content).toMatch(
      /^A line [\s\S]+\[result_unavailable: the rest is gone from the store, what the call did is not\]$/,
    );
  });

  it("of a profile that no longer exists is joined unchanged", async () => {
    const { b, parts, result, reads } = await setup("look");
    const rules = { ...b.rules, profile: () => undefined };
    const { arrived } = await answerArrived({ ...parts, rules }, await b.snapshot(), { callId: CALL, secretHash: null, result });
    expect([arrived.result, reads()]).toEqual([result, 0]);
  });
});
