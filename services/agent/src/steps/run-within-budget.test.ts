import { type ModelProvider, type ModelReply, offlineModel } from "@toolbus/models";
import { StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import type { BudgetConfig } from "../budget/budget-limits.ts";
import { budgetsOf, usedOf } from "../testing/budgets-under-test.ts";
import type { Profile } from "../profile.ts";
import { advanceRun } from "./advance.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { asks, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";

const signal = new AbortController().signal;

/**
 * Returns a model that costs $2 per million input tokens and $10 per million output tokens. Its prompt has 100 tokens, and it answers as scripted.
 */
function scripted(next: () => Partial<ModelReply>): ModelProvider & { asked: number } {
  const model = {
    ...offlineModel(),
    name: "anthropic",
    model: "claude-sonnet-5-5",
    asked: 0,
    estimateTokens: () => 100,
    async complete(): Promise<ModelReply> {
      model.asked++;
      return { text: "", calls: [], stop: "end_turn", usage: { inputTokens: 90, outputTokens: 10 }, model: "m", ...next() };
    },
  };
  return model;
}

async function started(model: ModelProvider, limits: Partial<BudgetConfig>, profile: Partial<Profile> = {}) {
  const s = await readerUnderTest([], model, profile, limits);
  await takeEntry(s.reader, RUN, RUN);
  return Object.assign(s, {
    step: (n: number) => advanceRun(s.reader, RUN, { by: `m${n}`, redelivered: false }, signal),
    end: async () => (await s.b.events()).at(-1),
    usage: async () => (await s.b.snapshot()).run.value.usage,
  });
}

describe("a run with a budget", () => {
  it("ends when the next model call does not fit, with words for the person, and the model is not asked", async () => {
    const model = scripted(() => ({ calls: [asks("look")], stop: "tool_use" }));
    await using s = await started(model, { BUDGET_RUN_TOKENS: 1300 });
    await s.step(1);
    await s.b.answer(0);
    await s.step(2);
    expect(model.asked).toBe(1);
    expect(await s.end()).toEqual({
      type: "run.failed",
      at: expect.any(Number) as number,
      code: "budget_exhausted",
      message: expect.stringMatching(
        /^The run's budget of 1,300 tokens is used up: 100 tokens are used or reserved, and the next step of this run may need 1,\d{3} tokens\. Ask an operator to raise BUDGET_RUN_TOKENS\.$/,
      ) as string,
      report: null,
      usage: { inputTokens: 90, outputTokens: 10, modelCalls: 1, toolCalls: 1, costMicroUsd: 280 },
    });
  });

  it("of tool calls gets excess calls refused, and still its answer", async () => {
    const replies: Partial<ModelReply>[] = [{ calls: [asks("look", "a"), asks("look", "b")], stop: "tool_use" }, { text: "That is all." }];
    await using s = await started(
      scripted(() => replies.shift() ?? {}),
      { BUDGET_RUN_TOOL_CALLS: 1 },
    );
    await s.step(1);
    expect((await s.b.call(1)).result).toMatchObject({ status: "denied", error: { code: "limit" } });
    await s.b.answer(0);
    await s.step(2);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "That is all." });
  });

  it("of tool calls too small for its fixed calls ends before they are made", async () => {
    const fixed = [
      { tool: "look", argumentsFromInput: {} },
      { tool: "change", argumentsFromInput: {} },
    ];
    await using s = await started(
      scripted(() => ({})),
      { BUDGET_RUN_TOOL_CALLS: 1 },
      { seedCalls: fixed },
    );
    await s.step(1);
    expect(await s.end()).toMatchObject({ type: "run.failed", code: "budget_exhausted" });
  });

  it("is retried later when the store cannot say whether it fits, and the model is not asked before", async () => {
    const model = scripted(() => ({ text: "Fine." }));
    await using s = await started(model, {});
    let away = true;
    const { state } = s.reader;
    const lossy = {
      ...state,
      commit: (...args: Parameters<typeof state.commit>) => (away ? Promise.reject(new StoreUnavailable("away")) : state.commit(...args)),
    };
    const reader = { ...s.reader, budgets: budgetsOf(lossy, { env: { BUDGET_RUN_TOKENS: "5000" } }) };
    await advanceRun(reader, RUN, { by: "m1", redelivered: false }, signal);
    expect([model.asked, (await s.b.snapshot()).run.value]).toMatchObject([0, { status: "ready", lease: null }]);
    away = false;
    s.b.advance(60_000);
    await advanceRun(reader, RUN, { by: "m2", redelivered: false }, signal);
    expect(await s.end()).toMatchObject({ type: "run.completed", text: "Fine." });
    expect(await usedOf(state, { run: RUN })).toMatchObject({ tokens: 100 });
  });
});

describe("a run without a budget", () => {
  it("knows what it has used and what that cost", async () => {
    const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 20, reasoningTokens: 4 };
    await using s = await started(
      scripted(() => ({ text: "Fine.", usage })),
      {},
    );
    await s.step(1);
    // The price is that of 20 tokens at $2, 60 at $0.10, 20 at $2.50 and 10 at $10.
    expect(await s.end()).toMatchObject({ type: "run.completed", usage: { ...usage, modelCalls: 1, toolCalls: 0, costMicroUsd: 196 } });
    expect((await s.b.snapshot()).conversation.value.usage).toMatchObject({ ...usage, costMicroUsd: 196 });
    expect(await usedOf(s.reader.state, { run: RUN })).toMatchObject({ tokens: 0 });
  });

  it("records a call of a model of unknown price as unpriced", async () => {
    await using s = await started({ ...scripted(() => ({ text: "Fine." })), name: "compatible", model: "mystery" }, {});
    await s.step(1);
    expect((await s.usage()).unpricedCalls).toBe(1);
  });
});
