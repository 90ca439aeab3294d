import { failedResult, type Json, keys, type TranscriptEntry } from "@toolbus/contracts";
import { ContextOverflow, type ModelProvider, type ModelReply, type ModelRequest, NetworkError, offlineModel } from "@toolbus/models";
import { describe, expect, it } from "vitest";
import type { Profile } from "../profile.ts";
import { advanceRun } from "./advance.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { CONVERSATION, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";

const SMALL = { ...offlineModel().capabilities, contextTokens: 8000, maxOutputTokens: 1000 };

/** Returns a model with a window of 8,000 tokens of four characters each. It records its requests. */
function small(answer: (request: ModelRequest, n: number) => Partial<ModelReply> | Error, capabilities = SMALL) {
  const asked: ModelRequest[] = [];
  const provider: ModelProvider = {
    ...offlineModel(),
    name: "small",
    capabilities,
    complete(request) {
      asked.push(request);
      const said = answer(request, asked.length);
      if (said instanceof Error) return Promise.reject(said);
      return Promise.resolve({ text: "", calls: [], stop: "end_turn", usage: { inputTokens: 10, outputTokens: 1 }, model: "m", ...said });
    },
  };
  return { provider, asked };
}

/** Returns a run at its first model call, after this many earlier exchanges of 2,000 characters each. */
async function after(earlier: number, provider: ModelProvider, profile: Partial<Profile> = {}) {
  const s = await readerUnderTest([], provider, profile);
  const entries = Array.from({ length: earlier }, (_, n): readonly TranscriptEntry[] => [
    { type: "user", runId: `rn_03_old${n}`, text: `Question ${n}. ${"q".repeat(1000)}`, at: n },
    {
      type: "assistant",
      runId: `rn_03_old${n}`,
      round: 1,
      text: `Answer ${n}. ${"a".repeat(1000)}`,
      calls: [],
      at: n,
      provider: "small",
      model: "m",
    },
  ]).flat();
  const key = keys.run("rn_03_01JD0000000000000000000009");
  await s.b.state.commit("03", {
    op: "earlier",
    guards: [{ key, version: 0 }],
    put: [{ key, value: {} }],
    append: [{ log: keys.transcript(CONVERSATION), entries: entries as unknown as Json[] }],
  });
  await takeEntry(s.reader, RUN, RUN);
  let steps = 0;
  return Object.assign(s, {
    step: () => advanceRun(s.reader, RUN, { by: `m${++steps}`, redelivered: false }, new AbortController().signal),
    turns: async () => (await s.b.events()).filter((event) => event.type === "turn"),
    end: async () => (await s.b.events()).at(-1),
  });
}

const textOf = ({ transcript }: ModelRequest): string => JSON.stringify(transcript);

describe("a conversation that is longer than the model's window", () => {
  it("is shown as far as it fits, its newest part, and the turn says what was left out", async () => {
    const { provider, asked } = small(() => ({ text: "Done." }));
    await using s = await after(40, provider, { context: { strategy: "truncation" } });
    await s.step();
    expect(asked).toHaveLength(1);
    expect(asked[0]!.system).toBe("Test.");
    expect(textOf(asked[0]!)).toContain("Do it.");
    expect(textOf(asked[0]!)).toContain("Answer 39.");
    expect(textOf(asked[0]!)).not.toContain("Question 0.");
    expect(provider.estimateTokens(asked[0]!.transcript, asked[0]!.system)).toBeLessThan(8000);
    const [turn] = await s.turns();
    expect(turn).toMatchObject({ pruned: { strategy: "truncation", entries: expect.any(Number) as number } });
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "Done." });
  });

  it("is summarised first when the profile says so, in a step of its own, and the turn stands on the summary", async () => {
    const { provider, asked } = small(({ tools }) => (tools.length === 0 ? { text: "They talked of letters." } : { text: "Done." }));
    await using s = await after(13, provider, { context: { strategy: "sliding" } });
    await s.step();
    expect(await s.turns()).toEqual([]);
    expect((await s.b.snapshot()).run.value).toMatchObject({ status: "ready", round: 1, usage: { inputTokens: 10, modelCalls: 0 } });
    await s.step();
    expect(asked).toHaveLength(2);
    expect(textOf(asked[0]!)).toContain("Question 0.");
    expect(textOf(asked[1]!)).toContain("They talked of letters.");
    expect(textOf(asked[1]!)).not.toContain("Question 0.");
    expect(await s.turns()).toMatchObject([{ pruned: { strategy: "sliding", summary: true }, usage: { inputTokens: 20, modelCalls: 1 } }]);
  });

  it("is shown without a summary if none is available: the run does not fail for it", async () => {
    const { provider, asked } = small(({ tools }) => (tools.length === 0 ? new NetworkError("The connection broke.") : { text: "Done." }));
    await using s = await after(40, provider, { context: { strategy: "sliding" } });
    await s.step();
    await s.step();
    expect(asked).toHaveLength(2);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "Done." });
    expect((await s.turns())[0]).not.toMatchObject({ pruned: { summary: true } });
  });

  it("that its provider still finds too long is halved and sent again at once, once", async () => {
    const { provider, asked } = small((_, n) => (n === 1 ? new ContextOverflow("The prompt is too long.") : { text: "Done." }));
    await using s = await after(12, provider);
    await s.step();
    expect(asked).toHaveLength(2);
    expect(asked[1]!.transcript.length).toBeLessThan(asked[0]!.transcript.length * 0.6);
    expect(textOf(asked[1]!)).toContain("Do it.");
    expect(await s.end()).toMatchObject({ type: "run.completed" });
    // The run does not wait after the failed call.
    expect((await s.b.events()).map(({ type }) => type)).not.toContain("model.retry");
  });

  it("and stays too long ends the run with the provider's message, without more tries", async () => {
    const { provider, asked } = small(() => new ContextOverflow("The prompt is too long: give the profile less."));
    await using s = await after(12, provider);
    await s.step();
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(await s.end()).toMatchObject({
      type: "run.failed",
      code: "invalid_request",
      message: "The prompt is too long: give the profile less.",
    });
  });

  it("whose own message does not fit ends the run before anything is sent", async () => {
    const { provider, asked } = small(() => ({ text: "Done." }), { ...SMALL, contextTokens: 1010 });
    await using s = await after(0, provider);
    await s.step();
    expect(asked).toEqual([]);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "context_too_long" });
  });
});

describe("a call that failed", () => {
  it("reaches the model as the tool's message, with class and text, and the model decides what to do", async () => {
    const call = (id: string, name: string, args: string): Partial<ModelReply> => ({
      calls: [{ id, name, arguments: args }],
      stop: "tool_use",
    });
    const replies = [
      call("a", "look", '{"n":"many"}'),
      call("b", "look", '{"n":1}'),
      call("c", "look", '{"n":1}'),
      { text: "It does not answer, so I leave it at that." },
    ];
    const { provider, asked } = small((_, n) => replies[n - 1] ?? new Error("asked once too often"));
    await using s = await after(0, provider);
    await s.step();
    await s.step();
    await s.b.answer(0, failedResult("unavailable", "It does not answer.", { retryAfter: 3 }));
    await s.step();
    await s.b.answer(0, failedResult("policy_denied", "Not for this person."));
    await s.step();
    const reported = asked.slice(1).map(({ transcript }) => transcript.at(-1));
    expect(reported).toMatchObject([
      { type: "result", id: "a", isError: true },
      { type: "result", id: "b", isError: true },
      { type: "result", id: "c", isError: true },
    ]);
    expect(reported.map((entry) => JSON.parse(entry?.type === "result" ? entry.content : ""))).toMatchObject([
      { error: "invalid_arguments", class: "ToolUserError", message: expect.stringContaining("look"), details: [{ path: "/n" }] },
      { error: "unavailable", class: "ToolTransientError", message: "It does not answer.", retryable: true, retryAfter: 3 },
      { error: "policy_denied", class: "ToolPolicyError", reason: "POLICY_DENIED", message: "Not for this person.", retryable: false },
    ]);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "It does not answer, so I leave it at that." });
  });
});

describe("a model that can call nothing", () => {
  it("is offered no tools, and answers with text", async () => {
    const { provider, asked } = small(() => ({ text: "I can only talk." }), { ...SMALL, tools: false });
    await using s = await after(0, provider, { toolChoice: "required" });
    await s.step();
    expect(asked).toMatchObject([{ tools: [], toolChoice: "none" }]);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "I can only talk." });
  });
});

describe("a profile's settings for calls", () => {
  it("reach the model: how many at a time, how random, and no more tokens than the model gives", async () => {
    const { provider, asked } = small(() => ({ text: "Done." }));
    await using s = await after(0, provider, {
      parallelCalls: false,
      temperature: 0.2,
      limits: { maxRounds: 5, activeMs: 30_000, maxTools: 12, maxTokens: 4000 },
    });
    await s.step();
    expect(asked).toMatchObject([{ parallelCalls: false, temperature: 0.2, maxTokens: 1000 }]);
  });
});
