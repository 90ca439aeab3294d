import { describe, expect, it } from "vitest";
import { parseRunRecord } from "./run-record.ts";
import { endedRun, RECORDED_RUN as RUN, runRecord } from "./testing/run-record.ts";

const USER = { type: "user", runId: RUN, text: "Hello", at: 1 };

function record(changes: { readonly run?: object; readonly events?: readonly object[]; readonly entries?: readonly object[] } = {}) {
  const { entries = [USER], events = [] } = changes;
  return {
    ...runRecord("Hello"),
    run: { ...endedRun, ...changes.run },
    events,
    transcript: entries.map((entry, n) => ({ sequence: n + 1, entry })),
  };
}

const queued = (sequence: number) => ({ type: "run.queued", at: 1, behind: RUN, sequence });

describe("the record of a run", () => {
  it("is parsed if it is as Toolbus writes it", () => {
    expect(parseRunRecord(record())).toMatchObject({ ok: true });
  });

  it.each<[string, Parameters<typeof record>[0]]>([
    ["/run/runId", { run: { runId: "../../../../x" } }],
    ["/run/runId", { run: { runId: `${RUN.slice(0, -10)}/../../../` } }],
    ["/run/conversationId", { run: { conversationId: "cv_1" } }],
    ["/run/createdAt", { run: { createdAt: 9e15 } }],
    ["/transcript/0/entry", { entries: [{}] }],
    ["/transcript/1/entry", { entries: [USER, { type: "assistant", runId: RUN, text: "a", at: 1, provider: "x" }] }],
  ])("of somebody else is refused at the place that no Toolbus writes: %s", (path, changes) => {
    expect(parseRunRecord(record(changes))).toMatchObject({ ok: false, problems: [{ path }] });
  });

  it("is refused if its events are not in their order", () => {
    expect(parseRunRecord(record({ events: [queued(1), queued(2)] }))).toMatchObject({ ok: true });
    expect(parseRunRecord(record({ events: [queued(1), queued(1)] }))).toMatchObject({
      ok: false,
      problems: [{ path: "/events/1/sequence" }],
    });
  });
});
