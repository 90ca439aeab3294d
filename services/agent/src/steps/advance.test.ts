import { failedResult, keys } from "@toolbus/contracts";
import { type ModelProvider, NetworkError, offlineModel, AuthenticationError, type ModelReply, RateLimitError } from "@toolbus/models";
import { describe, expect, it } from "vitest";
import { advanceRun } from "./advance.ts";
import { cancelRun } from "../transitions/cancel.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";

const signal = new AbortController().signal;

/** Returns a model that answers with what `next` returns, or throws it. */
function scripted(next: () => Partial<ModelReply> | Error): ModelProvider & { asked: number } {
  const model = {
    ...offlineModel(),
    name: "scripted",
    asked: 0,
    async complete(): Promise<ModelReply> {
      model.asked++;
      const said = next();
      if (said instanceof Error) throw said;
      return { text: "", calls: [], stop: "end_turn", usage: { inputTokens: 1, outputTokens: 1 }, model: "m", ...said };
    },
  };
  return model;
}

async function started(model: ModelProvider, profile = {}) {
  const s = await readerUnderTest([], model, profile);
  await takeEntry(s.reader, RUN, RUN);
  const step = async (n: number): Promise<void> => advanceRun(s.reader, RUN, { by: `m${n}`, redelivered: false }, signal);
  /** Runs steps until the run has ended or `most` steps were made. Returns the number of steps. */
  const steps = async (most: number): Promise<number> => {
    for (let n = 1; n <= most; n++) {
      // This is longer than any wait that an earlier failure has caused.
      s.b.advance(300_000);
      await step(n);
      if ((await s.b.snapshot()).run.value.endedAt !== null) return n;
    }
    return most;
  };
  return Object.assign(s, { step, steps, end: async () => (await s.b.events()).at(-1) });
}

describe("a step that does not learn of its own commit", () => {
  it.each<[string, () => Partial<ModelReply> | Error]>([
    ["turn", () => ({ text: "Wait.", stop: "pause" })],
    ["model-retry", () => new NetworkError("The connection broke.")],
  ])("does not end the same epoch a second time, though the run is ready again: %s", async (op, said) => {
    const model = scripted(said);
    await using s = await started(model);
    const { outbox } = s.reader;
    let made = 0;
    // The commit succeeds but reports `stale`. A real store does this if the reply is lost and the run continues before the repeat.
    const unheard: typeof outbox = {
      ...outbox,
      async commitOnly(shard, change) {
        const { reply, invokes } = await outbox.commitOnly(shard, change);
        if (!change.op.startsWith(`${op}:`) || reply.outcome !== "ok") return { reply, invokes };
        made++;
        return { reply: { ...reply, outcome: "stale" }, invokes: [] };
      },
    };
    await advanceRun({ ...s.reader, outbox: unheard }, RUN, { by: "m1", redelivered: false }, signal);
    expect([model.asked, made]).toEqual([1, 1]);
    expect((await s.b.snapshot()).run.value).toMatchObject({ status: "ready", lease: null });
    expect((await s.b.events()).filter(({ type }) => type === "turn" || type === "model.retry")).toHaveLength(1);
  });
});

describe("a model that fails", () => {
  it("permanently ends the run at once, with its own code and message", async () => {
    await using s = await started(scripted(() => new AuthenticationError("The provider refuses the key; set another.")));
    expect(await s.steps(5)).toBe(1);
    expect(await s.end()).toMatchObject({
      type: "run.failed",
      code: "authentication_failed",
      message: "The provider refuses the key; set another.",
    });
  });

  it("temporarily is asked again, and the run continues where it was", async () => {
    let failures = 2;
    const model = scripted(() => (failures-- > 0 ? new NetworkError("The connection broke.") : { text: "All is well." }));
    await using s = await started(model);
    expect(await s.steps(5)).toBe(3);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "All is well." });
  });

  it("repeatedly ends the run with the reason of the last failure, not with one of ours", async () => {
    const model = scripted(() => new NetworkError("The connection broke."));
    await using s = await started(model);
    expect(await s.steps(20)).toBe(3);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "network_failed", message: "The connection broke." });
    expect(model.asked).toBe(3);
  });

  it("is recorded in the run's events, each failure with its attempt and the wait that follows it", async () => {
    const model = scripted(() => new RateLimitError("The provider takes no more for now (429).", 7000));
    await using s = await started(model);
    await s.steps(20);
    const retries = (await s.b.events()).filter((event) => event.type === "model.retry");
    expect(retries).toMatchObject([
      { round: 1, attempt: 1, code: "rate_limited", message: "The provider takes no more for now (429).", waitMs: 7000 },
      { round: 1, attempt: 2, code: "rate_limited", waitMs: 7000 },
    ]);
  });

  it("is left alone until its wait is over, whoever wakes the run", async () => {
    const model = scripted(() => new NetworkError("The connection broke."));
    await using s = await started(model);
    await s.step(1);
    const { notBefore } = (await s.b.snapshot()).run.value;
    await s.step(2);
    expect(model.asked).toBe(1);
    // The wait has full jitter. The random source of this test returns the middle of the range.
    s.b.advance(499);
    await s.step(3);
    expect([model.asked, (notBefore ?? 0) - (await s.b.snapshot()).now]).toEqual([1, 1]);
    s.b.advance(1);
    await s.step(4);
    expect(model.asked).toBe(2);
  });

  it("does not use up the run's active time while the run waits for it", async () => {
    let failures = 2;
    const model = scripted(() => (failures-- > 0 ? new RateLimitError("Later.", 120_000) : { text: "All is well." }));
    await using s = await started(model);
    expect(await s.steps(5)).toBe(3);
    expect(await s.end()).toMatchObject({ type: "run.completed" });
    expect((await s.b.snapshot()).run.value.activeMs).toBeLessThan(1000);
  });

  it("and asks for a longer wait than a run has ends it with that", async () => {
    await using s = await started(scripted(() => new RateLimitError("The provider takes no more for now (429).", 3_600_000)));
    expect(await s.steps(5)).toBe(1);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "rate_limited", message: expect.stringContaining("3600 s") as string });
  });

  it("has all its attempts again in the next round", async () => {
    const replies: (Partial<ModelReply> | Error)[] = [
      new NetworkError("One."),
      new NetworkError("Two."),
      { stop: "pause", text: "Wait." },
      new NetworkError("Three."),
      new NetworkError("Four."),
      { text: "Done." },
    ];
    await using s = await started(scripted(() => replies.shift() ?? new Error("asked once too often")));
    expect(await s.steps(20)).toBe(6);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "Done." });
    expect((await s.b.snapshot()).run.value).not.toHaveProperty("modelFailures");
  });

  it("can be cancelled while the run waits for it", async () => {
    await using s = await started(scripted(() => new RateLimitError("Later.", 120_000)));
    await s.step(1);
    await s.b.commit(cancelRun(await s.b.snapshot(), { entryId: "e", by: "user:ada" }, s.b.rules));
    expect(await s.end()).toMatchObject({ type: "run.cancelled", by: "user:ada" });
  });

  it("uses up the run's active time, and ends it when that is over", async () => {
    let advance = (): void => undefined;
    const model = scripted(() => (advance(), new NetworkError("The connection broke.")));
    await using s = await started(model);
    advance = () => s.b.advance(16_000);
    expect(await s.steps(20)).toBe(2);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "network_failed" });
    expect((await s.b.snapshot()).run.value.activeMs).toBeGreaterThanOrEqual(32_000);
  });

  it("by taking longer than the run's time is stopped, and the run ends for the time it used", async () => {
    const slow: ModelProvider = {
      ...offlineModel(),
      complete: (_, context) =>
        new Promise((_resolve, reject) => {
          const onAbort = (): void => {
            s.b.advance(100);
            reject(new Error("The model call was stopped."));
          };
          context.signal.addEventListener("abort", onAbort, { once: true });
        }),
    };
    await using s = await started(slow, { limits: { maxRounds: 5, activeMs: 50, maxTools: 12, maxTokens: 100 } });
    await s.step(1);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "time_limit" });
  });

  it("whose process stops gives the run back unchanged", async () => {
    const stop = new AbortController();
    const slow: ModelProvider = {
      ...offlineModel(),
      complete: (_, context) => {
        stop.abort(new Error("The process stops."));
        return Promise.reject(context.signal.reason as Error);
      },
    };
    await using s = await started(slow);
    await advanceRun(s.reader, RUN, { by: "m1", redelivered: false }, stop.signal);
    expect((await s.b.snapshot()).run.value).toMatchObject({ status: "ready", lease: null });
  });
});

describe("a reply of the model", () => {
  it("with a tool finish reason and no call is asked for again", async () => {
    let replies = 0;
    await using s = await started(scripted(() => (replies++ === 0 ? { stop: "tool_use" } : { text: "Here I am." })));
    expect(await s.steps(5)).toBe(2);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "Here I am." });
  });

  it("that stays empty ends the run as failed, never as an empty answer", async () => {
    await using s = await started(scripted(() => ({ stop: "tool_use" })));
    expect(await s.steps(20)).toBe(3);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "empty_reply" });
  });

  it("that is cut off is kept as far as it goes, marked, and none of its calls is run", async () => {
    const calls = [{ id: "a", name: "look", arguments: '{"n":' }];
    await using s = await started(scripted(() => ({ text: "So far", calls, stop: "max_tokens" })));
    await s.step(1);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "So far", truncated: true });
    expect((await s.b.sent()).filter(({ topic }) => topic.startsWith("tool.invoke"))).toEqual([]);
  });

  it("that pauses is kept, and the model gets it back to continue", async () => {
    const seen: number[] = [];
    const vendor = { api: "vendor.messages", model: "m", payload: [{ type: "server_tool_use" }] };
    const model = scripted(() => (seen.push(1), seen.length === 1 ? { stop: "pause", text: "", vendor } : { text: "Here it is." }));
    await using s = await started(model);
    expect(await s.steps(5)).toBe(2);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "Here it is." });
    expect(await s.b.transcript()).toMatchObject([{ type: "user" }, { type: "assistant", text: "", vendor }, { type: "assistant" }]);
  });

  it("that declines without words is reported as declined", async () => {
    await using s = await started(scripted(() => ({ stop: "refusal" })));
    await s.step(1);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "The model declined to answer this." });
  });

  it("names the last stored event, so that its text is shown after it", async () => {
    const model: ModelProvider = {
      ...scripted(() => ({})),
      async complete(_, { onText }) {
        onText("Hello.");
        return { text: "Hello.", calls: [], stop: "end_turn", usage: { inputTokens: 1, outputTokens: 1 }, model: "m" };
      },
    };
    await using s = await started(model);
    await s.step(1);
    expect(await s.b.state.recent(keys.live(RUN))).toMatchObject([{ type: "delta", after: 1, text: "Hello." }]);
  });
});

describe("a run that makes no progress", () => {
  it("stops when it keeps asking for the same calls", async () => {
    const model = scripted(() => ({ calls: [{ id: `a${model.asked}`, name: "look", arguments: '{"n":1}' }], stop: "tool_use" }));
    await using s = await started(model, { limits: { maxRounds: 25, activeMs: 600_000, maxTools: 12, maxTokens: 100 } });
    for (let n = 1; n <= 3; n++) {
      await s.step(n);
      await s.b.answer(0);
    }
    await s.step(4);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "loop" });
    expect(model.asked).toBe(3);
  });

  it("stops when the same call keeps failing in the same way", async () => {
    const model = scripted(() => ({ calls: [{ id: `a${model.asked}`, name: "look", arguments: '{"n":1}' }], stop: "tool_use" }));
    await using s = await started(model, { limits: { maxRounds: 25, activeMs: 600_000, maxTools: 12, maxTokens: 100 } });
    for (let n = 1; n <= 3; n++) {
      await s.step(n);
      await s.b.answer(0, failedResult("unavailable", "It does not answer."));
    }
    await s.step(4);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "loop" });
    expect(model.asked).toBe(3);
  });

  it("stops when no call of five rounds succeeded, although each was different", async () => {
    const model = scripted(() => ({
      calls: [{ id: `a${model.asked}`, name: `no_tool_${model.asked}`, arguments: "{}" }],
      stop: "tool_use",
    }));
    await using s = await started(model, { limits: { maxRounds: 25, activeMs: 600_000, maxTools: 12, maxTokens: 100 } });
    expect(await s.steps(20)).toBe(6);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "loop", message: "No call of the last 5 rounds succeeded." });
  });
});
