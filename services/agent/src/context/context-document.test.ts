import { type ContextDocument, keys, parseContextDocument } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { acquire } from "../transitions/acquire.ts";
import { bundle, CONVERSATION, RUN } from "../testing/test-bundle.ts";
import { transcripts } from "../steps/transcripts.ts";
import { commitSummary } from "../transitions/commit-summary.ts";
import { withContext } from "./context-document.ts";

async function setup() {
  const b = bundle();
  await b.start();
  const got = acquire(await b.snapshot(), { by: "wake", redelivered: false }, b.rules);
  if (got.kind !== "acquired") throw new Error(got.kind);
  await b.commit(got.change);
  const { now } = await b.snapshot();
  const document: ContextDocument = {
    conversationId: CONVERSATION,
    from: 1,
    anchor: { runId: RUN, at: now },
    kept: [],
    summary: { text: "What was said.", upTo: 1, provider: "test", model: "test" },
    strategy: "sliding",
    left: { entries: 0, tokens: 0 },
    writtenAt: now,
  };
  const stored = async () => {
    const { documents } = await b.state.read([keys.context(CONVERSATION)]);
    return documents[0] ? parseContextDocument(documents[0].value) : null;
  };
  return { b, document, stored, epoch: got.run.epoch };
}

describe("a step that writes a summary", () => {
  it("stores the window and leaves the run ready at the same round, with its use counted and its wake sent", async () => {
    const { b, document, stored, epoch } = await setup();
    await b.sent();
    const snapshot = await b.snapshot();
    const usage = { ...snapshot.run.value.usage, inputTokens: 700, outputTokens: 40 };
    expect(await b.commit(commitSummary({ snapshot, epoch, document, usage }, b.rules))).toBe("ok");
    expect(await stored()).toEqual({ ok: true, value: document });
    const { run } = await b.snapshot();
    expect(run.value).toMatchObject({ status: "ready", round: 1, lease: null, attempts: 0, usage: { inputTokens: 700, modelCalls: 0 } });
    expect(await b.sent()).toMatchObject([{ topic: "run.wake" }]);
    expect(await b.timers()).toEqual([`run:${RUN}`]);
  });

  it("changes nothing when another epoch holds the run", async () => {
    const { b, document, stored, epoch } = await setup();
    const snapshot = await b.snapshot();
    expect(commitSummary({ snapshot, epoch: epoch - 1, document, usage: snapshot.run.value.usage }, b.rules)).toBeNull();
    const change = commitSummary({ snapshot, epoch, document, usage: snapshot.run.value.usage }, b.rules);
    b.advance(60_000);
    const other = acquire(await b.snapshot(), { by: "timer", redelivered: false }, b.rules);
    await b.commit(other.kind === "acquired" ? other.change : null);
    expect(await b.commit(change)).toBe("stale");
    expect(await stored()).toBeNull();
  });
});

describe("a window that is committed with a turn", () => {
  it("is what a fresh process reads, and outlives the transcript", async () => {
    const { b, document, stored } = await setup();
    const snapshot = await b.snapshot();
    const guards = [{ key: keys.run(RUN), version: snapshot.run.version }];
    const put = [{ key: keys.run(RUN), value: snapshot.run.value as never }];
    expect(await b.commit(withContext({ op: "turn", guards, put }, document))).toBe("ok");
    const read = transcripts(b.state, { maxChars: 100_000, keptChars: 100_000, monotonic: b.monotonic });
    expect(await read.window(CONVERSATION)).toMatchObject({ document, entries: [{ sequence: 1 }] });
    b.advance(59 * 86_400_000);
    expect(await stored()).not.toBeNull();
    b.advance(2 * 86_400_000);
    expect(await stored()).toBeNull();
  });
});
