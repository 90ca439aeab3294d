import { type Call, type Json, keys } from "@toolbus/contracts";
import { contentHash } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { storedOnce } from "./stored-once.ts";

const RUN = "rn_05_01JD0000000000000000000001";
const CONVERSATION = "cv_05_01JD0000000000000000000001";
/** Returns a text that is long enough to be stored once. */
const resultOf = (n: number): string => `result ${n} ${"x".repeat(256)}`;
const callId = (n: number): string => `${RUN}.1.${n}`;

const call = (n: number, part: object = {}): Json =>
  ({
    callId: callId(n),
    kind: "read",
    state: "resolved",
    result: { status: "ok", content: resultOf(n), isError: false },
    ...part,
  }) as unknown as Json;
const entry = (n: number, part: object = {}): Json => ({ type: "result", callId: callId(n), content: resultOf(n), ...part });
const event = (n: number): Json => ({ type: "call.resolved", callId: callId(n), content: resultOf(n) });

/** Returns a change that joins these results and ends their round. */
function change(calls: readonly Json[], entries: readonly Json[], events: readonly Json[]): Change {
  return {
    op: "join",
    guards: [],
    put: [
      { key: keys.run(RUN), value: { runId: RUN, status: "ready" } },
      ...calls.map((value) => ({ key: keys.call((value as unknown as Call).callId), value })),
    ],
    append: [
      { log: keys.transcript(CONVERSATION), entries },
      { log: keys.events(RUN), entries: events },
    ],
  };
}

const appended = (made: Change, log: string) => made.append?.find((one) => one.log === log)?.entries;
const document = (made: Change, n: number) => made.put?.find(({ key }) => key === keys.call(callId(n)))?.value;

describe("a result that goes into the transcript", () => {
  it("is only there: the document and the event of its call name the entry, and the document has the hash of the content", () => {
    const entries = [{ type: "assistant" }, entry(0), entry(1)];
    const made = storedOnce(change([call(0), call(1)], entries, [event(0), { type: "turn" }, event(1)]), CONVERSATION, 7);
    expect(JSON.stringify(made).match(/result 0/g)).toHaveLength(1);
    expect(JSON.stringify(made).match(/result 1/g)).toHaveLength(1);
    expect(appended(made, keys.transcript(CONVERSATION))).toEqual(entries);
    expect(document(made, 1)).toEqual({
      callId: callId(1),
      kind: "read",
      state: "resolved",
      result: { status: "ok", content: "", isError: false },
      entry: { sequence: 10, contentHash: contentHash(resultOf(1)) },
    });
    expect(appended(made, keys.events(RUN))).toEqual([
      { type: "call.resolved", callId: callId(0), content: "", entry: 9 },
      { type: "turn" },
      { type: "call.resolved", callId: callId(1), content: "", entry: 10 },
    ]);
  });

  it.each<{ readonly why: string; readonly made: Change; readonly last?: null }>([
    { why: "nobody knows how long the transcript is", made: change([call(0)], [entry(0)], [event(0)]), last: null },
    {
      why: "it says why the call failed",
      made: change([call(0, { result: { status: "error", content: resultOf(0), isError: true } })], [entry(0)], [event(0)]),
    },
    {
      why: "it is short",
      made: change([call(0, { result: { status: "ok", content: "short", isError: false } })], [entry(0, { content: "short" })], [event(0)]),
    },
    { why: "it is the result of a write", made: change([call(0, { kind: "write" })], [entry(0)], [event(0)]) },
    {
      why: "the model reads something shorter",
      made: change([call(0, { shown: { content: "short" } })], [entry(0, { content: "short" })], [event(0)]),
    },
    { why: "it is a long one, whose text is a blob", made: change([call(0)], [entry(0, { contentRef: {} })], [event(0)]) },
    { why: "an earlier commit stored its document", made: change([], [entry(0)], []) },
    { why: "its round has not ended", made: change([call(0)], [], [event(0)]) },
  ])("is stored as it was if $why", ({ made, last = 7 }) => {
    expect(storedOnce(made, CONVERSATION, last)).toEqual(made);
  });
});
