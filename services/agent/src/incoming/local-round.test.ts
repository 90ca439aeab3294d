import type { LocalToolset } from "@toolbus/bus";
import { failedResult, type ToolResult, topics } from "@toolbus/contracts";
import { type ModelProvider, offlineModel, type ModelReply } from "@toolbus/models";
import type { Change } from "@toolbus/state";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { advanceHeld, advanceRun } from "../steps/advance.ts";
import { RIDE_MS } from "../steps/ahead.ts";
import { cancelRun } from "../transitions/cancel.ts";
import { asks, ok, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { takeEntry } from "./inbox.ts";
import { onTimer } from "./timers.ts";

const signal = new AbortController().signal;
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

type Said = Partial<ModelReply> & { readonly before?: () => Promise<unknown> };

/** Returns a model that says one thing after another, and then ends the run. `before` happens while it thinks. */
function saying(...said: Said[]): ModelProvider & { asked: number } {
  const model = {
    ...offlineModel(),
    name: "scripted",
    asked: 0,
    async complete(): Promise<ModelReply> {
      const { before, ...reply } = said[model.asked++] ?? { text: "Done." };
      await before?.();
      return { text: "", calls: [], stop: "end_turn", usage: { inputTokens: 1, outputTokens: 1 }, model: "m", ...reply };
    },
  };
  return model;
}

interface Read {
  readonly callId: string;
  answer(result: ToolResult | null): void;
}

/** Starts a run whose toolset is served in this process. Records the names of the agent's commits, and each read that begins. */
async function here(model: ModelProvider, options: { readonly answers?: ToolResult | "by hand"; readonly limits?: object } = {}) {
  const s = await readerUnderTest([], model, {}, options.limits ?? {});
  const reads: Read[] = [];
  const { answers = ok() } = options;
  const toolset: LocalToolset = {
    read(_, { toolCallId: callId }, stopped) {
      const { promise, resolve } = Promise.withResolvers<ToolResult | null>();
      stopped.addEventListener("abort", () => resolve(null), { once: true });
      reads.push({ callId, answer: resolve });
      if (answers !== "by hand") resolve(answers);
      return promise;
    },
    answer: async () => null,
    runs: () => false,
  };
  s.local.set(topics.invoke("test"), toolset);
  const commits: string[] = [];
  const sent: string[] = [];
  const { commit } = s.b.state;
  Object.assign(s.reader.state, {
    async commit(shard: string, change: Change) {
      const reply = await commit(shard, change);
      if (/^(?:start|launch|continue|round|turn|join|acquire|end)\b/.test(change.op))
        commits.push(`${change.op.split(":")[0] ?? ""}${reply.outcome === "ok" ? "" : ` ${reply.outcome}`}`);
      sent.push(...(change.outbox ?? []).map(({ topic }) => topic));
      return reply;
    },
  });
  return Object.assign(s, {
    reads,
    commits,
    sent,
    /** Takes the first message, as the wake of the gateway does. */
    async wake() {
      const taken = await takeEntry(s.reader, RUN, RUN, "wake");
      if (taken && taken !== "not_started") await advanceHeld(s.reader, taken, signal);
      return taken;
    },
    status: async () => (await s.b.snapshot()).run.value.status,
  });
}

describe("the calls of a turn to a toolset of this process", () => {
  it("have their results in the commit of the next turn", async () => {
    await using s = await here(saying({ calls: [asks("look", "a")] }, { calls: [asks("look", "b"), asks("look", "c")] }));
    await s.wake();
    await s.idle();
    expect(s.commits).toEqual(["round", "round", "round"]);
    expect(s.sent).toEqual([]);
    expect((await s.b.events()).map(({ type }) => type)).toEqual([
      "run.started",
      "turn",
      "call.resolved",
      "turn",
      "call.resolved",
      "call.resolved",
      "turn",
      "run.completed",
    ]);
    expect((await s.b.transcript()).map((entry) => (entry.type === "result" ? entry.id : entry.type))).toEqual([
      "user",
      "assistant",
      "a",
      "assistant",
      "b",
      "c",
      "assistant",
    ]);
  });

  it("have their results in a commit of their own if the model takes longer than a moment", async () => {
    const slow = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(RIDE_MS));
    const model = saying({ calls: [asks("look", "a")] }, { text: "Done.", before: slow });
    await using s = await here(model);
    await s.wake();
    await s.idle();
    expect(s.commits).toEqual(["round", "continue", "turn"]);
    expect(await s.status()).toBe("done");
  });

  it("have each result in its own commit if the last one comes late", async () => {
    await using s = await here(saying({ calls: [asks("look", "a"), asks("look", "b")] }), { answers: "by hand" });
    await s.wake();
    s.reads[0]?.answer(ok());
    await vi.advanceTimersByTimeAsync(RIDE_MS);
    expect((await s.b.snapshot()).run.value.pending).toBe(1);
    s.reads[1]?.answer(ok());
    await s.idle();
    expect(s.commits).toEqual(["round", "join", "continue", "turn"]);
  });

  it("are joined one by one, and the model's answer is discarded, if the run changed in the meantime", async () => {
    const model = saying(
      { calls: [asks("look", "a")] },
      {
        text: "Too late.",
        before: async () => s.b.commit(cancelRun(await s.b.snapshot(), { entryId: "e", by: "user:ada" }, s.b.rules)),
      },
    );
    await using s = await here(model);
    await s.wake();
    await s.idle();
    expect(s.commits).toEqual(["round", "round stale"]);
    expect(await s.b.transcript()).not.toContainEqual(expect.objectContaining({ text: "Too late." }));
    expect((await s.b.snapshot()).run.value).toMatchObject({ status: "ready", cancel: { by: "user:ada" } });
  });

  it("repeat the model call if another process has committed, and keep the results", async () => {
    const model = saying(
      { calls: [asks("look", "a")] },
      { text: "Discarded.", before: async () => onTimer(s.reader, { shard: "03", id: `run:${RUN}`, due: 0 }, signal) },
      { text: "Stays." },
    );
    await using s = await here(model);
    await s.wake();
    await s.idle();
    expect(s.commits).toEqual(["round", "round stale", "continue", "turn"]);
    expect((await s.b.snapshot()).run.value.ending).toMatchObject({ text: "Stays." });
    expect((await s.b.events()).filter(({ type }) => type === "call.resolved")).toHaveLength(1);
  });

  it("do not ride with a write, a refused call or a long result", async () => {
    const refused = saying({ calls: [asks("look", "a"), asks("nothing", "b")] });
    await using mixed = await here(refused);
    await mixed.wake();
    await mixed.idle();
    expect(mixed.commits).toEqual(["round", "continue", "turn"]);
    await using long = await here(saying({ calls: [asks("look", "a")] }), { answers: ok(JSON.stringify("x".repeat(300_000))) });
    await long.wake();
    await long.idle();
    expect(long.commits).toEqual(["round", "continue", "turn"]);
  });

  it("are joined without a step if this process does as many steps as it may, so that the wake reaches any agent", async () => {
    await using s = await here(saying({ calls: [asks("look", "a")] }), { answers: "by hand" });
    await s.wake();
    const taken = Array.from({ length: 32 }, () => s.reader.places.tryTake());
    s.reads[0]?.answer(ok());
    await s.idle();
    expect([s.commits, s.sent, await s.status()]).toEqual([["round", "join"], ["run.wake"], "ready"]);
    for (const place of taken) place?.leave();
    await advanceRun(s.reader, RUN, { by: "wake", redelivered: false }, signal);
    expect(await s.status()).toBe("done");
  });

  it("do not ride if a budget counts the steps, because an epoch that was lost would be counted once", async () => {
    await using s = await here(saying({ calls: [asks("look", "a")] }), { limits: { BUDGET_RUN_TOKENS: 100_000 } });
    await s.wake();
    await s.idle();
    expect(s.commits).toEqual(["launch", "turn", "continue", "turn"]);
  });

  it("are given back to the bus if their worker stops before it answers", async () => {
    await using s = await here(saying({ calls: [asks("look", "a")] }), { answers: "by hand" });
    const published: string[] = [];
    await s.wake();
    s.local.clear();
    s.onPublish((message) => published.push(message.topic));
    s.reads[0]?.answer(null);
    await s.idle();
    expect(published).toEqual([topics.invoke("test")]);
    expect(await s.status()).toBe("waiting");
  });

  it("are made again by their timer, which is due with a lost lease, if the process dies", async () => {
    await using s = await here(saying({ calls: [asks("look", "a")] }), { answers: "by hand" });
    await s.wake();
    const call = `call:${RUN}.1.0`;
    s.b.advance(s.b.rules.config.RUN_LEASE_MS);
    expect((await s.b.state.claim("agent", "timer", { limit: 9, visibleAfter: 60_000 })).map(({ id }) => id)).toContain(call);
    await onTimer(s.reader, { shard: "03", id: call, due: 0 }, signal);
    await vi.waitFor(() => expect(s.reads).toHaveLength(1));
    expect((await s.b.call(0)).dispatch).toBe(2);
  });

  it("end as an error of the tool does", async () => {
    await using s = await here(saying({ calls: [asks("look", "a")] }), { answers: failedResult("timeout", "It took too long.") });
    await s.wake();
    await s.idle();
    expect((await s.b.events()).find(({ type }) => type === "call.resolved")).toMatchObject({ status: "timeout" });
    expect(await s.status()).toBe("done");
  });
});
