import type { TranscriptEntry } from "@toolbus/contracts";
import {
  AuthenticationError,
  type ModelProvider,
  type ModelReply,
  NetworkError,
  offlineModel,
  ProviderError,
  RateLimitError,
  ValidationError,
} from "@toolbus/models";
import { memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { askedBy, type BudgetParts, budgetsOf, EVENING, RUN_A, stepOf, usedOf } from "../testing/budgets-under-test.ts";
import { completeWithin } from "./complete-within.ts";

const transcript: readonly TranscriptEntry[] = [{ type: "user", runId: RUN_A, text: "Look at it.", at: 0 }];
const reply: ModelReply = {
  text: "Fine.",
  calls: [1, 2, 3].map((n) => ({ id: `c${n}`, name: "look", arguments: "{}" })),
  stop: "tool_use",
  usage: { inputTokens: 90, outputTokens: 10, cacheReadTokens: 40 },
  model: "claude-sonnet-5-5-20260929",
};

/** Returns calls to a model that estimates every prompt at 100 tokens, and a store in memory. */
async function setup(parts: BudgetParts, complete: ModelProvider["complete"], wrap: (store: StateStore) => StateStore = (store) => store) {
  const store = memoryStore({ clock: () => EVENING });
  await askedBy(store, RUN_A, "ada");
  let asked = 0;
  const provider: ModelProvider = {
    ...offlineModel(),
    name: "anthropic",
    model: "claude-sonnet-5-5",
    estimateTokens: () => 100,
    complete: (request, context) => ((asked += 1), complete(request, context)),
  };
  const budgets = budgetsOf(wrap(store), parts);
  const request = { system: "", transcript, tools: [], maxTokens: 200, run: { runId: RUN_A, profile: "test", input: {} } };
  return {
    store,
    asked: () => asked,
    ask: (epoch = 1) =>
      completeWithin({ budgets, provider, run: stepOf(RUN_A, epoch) }, request, {
        signal: new AbortController().signal,
        onText: () => undefined,
      }),
    used: () => usedOf(store, { run: RUN_A }),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

const parts: BudgetParts = { env: { BUDGET_RUN_TOKENS: "500", BUDGET_RUN_USD: "1", BUDGET_RUN_TOOL_CALLS: "2" } };

describe("a model call within budgets", () => {
  it("returns the reply with its cost and how many of its calls may be made, and counts its use", async () => {
    await using s = await setup(parts, async () => reply);
    expect(await s.ask()).toEqual({
      reply,
      // The price is that of 50 tokens at $2, 40 at $0.10 and 10 at $10.
      usage: { inputTokens: 90, outputTokens: 10, cacheReadTokens: 40, modelCalls: 1, toolCalls: 0, costMicroUsd: 204 },
      allowedCalls: 2,
    });
    expect(await s.used()).toEqual({ tokens: 100, microUsd: 204, toolCalls: 2 });
  });

  it("is not made when it does not fit", async () => {
    await using s = await setup({ env: { BUDGET_RUN_TOKENS: "299" } }, async () => reply);
    expect(await s.ask()).toMatchObject({ code: "budget_exhausted" });
    expect(s.asked()).toBe(0);
  });

  it("is not made when the store cannot say whether it fits", async () => {
    await using s = await setup(
      parts,
      async () => reply,
      (store) => ({ ...store, commit: () => Promise.reject(new StoreUnavailable("away")) }),
    );
    await expect(s.ask()).rejects.toThrow(StoreUnavailable);
    expect(s.asked()).toBe(0);
  });

  it.each([
    ["asks for a wait", new RateLimitError("later", 1000)],
    ["knows no such key", new AuthenticationError("no such key")],
    ["refuses the request", new ValidationError("bad schema")],
    ["fails", new ProviderError("overloaded", true)],
    ["is never reached", new NetworkError("away", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) })],
  ])("whose provider %s uses nothing", async (_, error) => {
    await using s = await setup(parts, () => Promise.reject(error));
    await expect(s.ask()).rejects.toBe(error);
    expect(await s.used()).toEqual({ tokens: 0, microUsd: 0, toolCalls: 0 });
  });

  it.each([
    ["breaks off", new NetworkError("the connection broke")],
    ["is an unreadable reply", new ProviderError("no JSON", false)],
    ["is interrupted", new Error("cancelled")],
  ])("that %s stays counted as the maximum: its vendor may have charged it", async (_, error) => {
    await using s = await setup(parts, () => Promise.reject(error));
    await expect(s.ask()).rejects.toBe(error);
    expect(await s.used()).toEqual({ tokens: 300, microUsd: 2250, toolCalls: 0 });
    await expect(s.ask(2)).resolves.toMatchObject({ code: "budget_exhausted" });
  });

  it("has its price without any budget, and may make all its calls", async () => {
    await using s = await setup(
      {},
      async () => reply,
      (store) => ({ ...store, commit: () => Promise.reject(new Error("asked")) }),
    );
    expect(await s.ask()).toMatchObject({ usage: { costMicroUsd: 204 }, allowedCalls: 3 });
  });
});
