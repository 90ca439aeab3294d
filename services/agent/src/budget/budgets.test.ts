import { memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { profile } from "../testing/test-bundle.ts";
import type { Refused, Reservation } from "./budgets.ts";
import {
  askedBy,
  type BudgetParts,
  budgetsOf,
  callOf,
  EVENING,
  RUN_A,
  RUN_B,
  RUN_C,
  stepOf,
  usedOf,
} from "../testing/budgets-under-test.ts";

const signal = new AbortController().signal;
const used = (inputTokens: number, outputTokens: number, costMicroUsd = 0, toolCalls = 0) => ({
  usage: { inputTokens, outputTokens, costMicroUsd },
  toolCalls,
});

/** Returns Ada's runs A and B and Bob's run C, all of one tenant. */
async function setup(parts: BudgetParts, wrap: (store: StateStore) => StateStore = (store) => store) {
  let now = EVENING;
  const store = memoryStore({ clock: () => now });
  await askedBy(store, RUN_A, "ada");
  await askedBy(store, RUN_B, "ada");
  await askedBy(store, RUN_C, "bob");
  const state = wrap(store);
  return {
    store,
    budgets: budgetsOf(state, parts),
    /** The budgets of a second process. */
    others: budgetsOf(store, parts),
    advance: (ms: number) => (now += ms),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function reserved(answer: Reservation | Refused): Reservation {
  if (answer.kind === "refused") throw new Error(answer.message);
  return answer;
}

describe("a budget of tokens", () => {
  const parts = { env: { BUDGET_RUN_TOKENS: "1000" } };

  it("is drawn on before the call with the most that it may use, and afterwards with what it used", async () => {
    await using b = await setup(parts);
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(300, 400), signal));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 700 });
    await b.budgets.settle(reservation, used(310, 20));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 330 });
  });

  it("also counts what a call used beyond its estimate", async () => {
    await using b = await setup(parts);
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(300, 400), signal));
    await b.budgets.settle(reservation, used(900, 400));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 1300 });
    expect(await b.budgets.reserve(stepOf(RUN_A, 2), callOf(1, 1), signal)).toMatchObject({ kind: "refused", code: "budget_exhausted" });
  });

  it("refuses a step that does not fit, with how much is used, and draws on nothing then", async () => {
    await using b = await setup(parts);
    await b.budgets.reserve(stepOf(RUN_A), callOf(300, 400), signal);
    expect(await b.budgets.reserve(stepOf(RUN_A, 2), callOf(1, 300), signal)).toEqual({
      kind: "refused",
      code: "budget_exhausted",
      message:
        "The run's budget of 1,000 tokens is used up: 700 tokens are used or reserved, and the next step of this run may need 301 tokens. Ask an operator to raise BUDGET_RUN_TOKENS.",
    });
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 700 });
    expect(await b.budgets.reserve(stepOf(RUN_A, 3), callOf(1, 299), signal)).toMatchObject({ kind: "reserved" });
  });

  it("says so when a single call is more than all of it", async () => {
    await using b = await setup(parts);
    expect(await b.budgets.reserve(stepOf(RUN_A), callOf(900, 4096), signal)).toMatchObject({
      message:
        "The run's budget of 1,000 tokens is too small for the next step of this run, which may need 4,996 tokens. Ask an operator to raise BUDGET_RUN_TOKENS.",
    });
  });

  it("stays reserved by a call that died, until the run is forgotten", async () => {
    await using b = await setup(parts);
    await b.budgets.reserve(stepOf(RUN_A), callOf(300, 400), signal);
    expect(await b.others.reserve(stepOf(RUN_A, 2), callOf(300, 400), signal)).toMatchObject({ kind: "refused" });
  });

  it("is drawn on once, however often one step repeats it", async () => {
    await using b = await setup(parts);
    const first = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(300, 100), signal));
    reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(300, 100), signal));
    reserved(await b.others.reserve(stepOf(RUN_A), callOf(300, 100), signal));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 400 });
    await Promise.all([b.budgets.settle(first, used(10, 0)), b.budgets.settle(first, used(10, 0)), b.others.settle(first, used(10, 0))]);
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 10 });
    await b.others.settle({ ...first }, used(500, 0));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 10 });
  });

  it("counts two successive calls of one step separately", async () => {
    await using b = await setup(parts);
    const summary = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(300, 100), signal));
    await b.budgets.settle(summary, used(250, 50));
    const turn = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(100, 100), signal));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 500 });
    await b.budgets.settle(summary, used(250, 50));
    await b.budgets.settle(turn, used(20, 10));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 330 });
  });

  it("is the root's for a sub-run", async () => {
    await using b = await setup(parts);
    await b.budgets.reserve(stepOf(`${RUN_A}~1`), callOf(500, 100), signal);
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 600 });
    expect(await b.budgets.reserve(stepOf(RUN_A), callOf(500, 100), signal)).toMatchObject({ kind: "refused" });
    expect(await b.budgets.reserve(stepOf(`${RUN_A}~2`), callOf(300, 100), signal)).toMatchObject({ kind: "reserved" });
  });

  it("that a profile lowers is named after the profile, and a profile never raises one", async () => {
    const of = (tokens: number) => ({ ...parts, profile: { ...profile, limits: { ...profile.limits, budget: { tokens } } } });
    await using low = await setup(of(500));
    expect(await low.budgets.reserve(stepOf(RUN_A), callOf(500, 100), signal)).toMatchObject({
      message: expect.stringContaining('raise limits.budget of the profile "test"') as string,
    });
    await using high = await setup(of(5000));
    expect(await high.budgets.reserve(stepOf(RUN_A), callOf(1000, 100), signal)).toMatchObject({
      message: expect.stringContaining("raise BUDGET_RUN_TOKENS") as string,
    });
  });
});

describe("a budget of a day", () => {
  const parts = { env: { BUDGET_PRINCIPAL_TOKENS_PER_DAY: "1000", BUDGET_TENANT_TOKENS_PER_DAY: "1500" } };

  it("is that of all runs of a principal, and says when it opens again", async () => {
    await using b = await setup(parts);
    await b.budgets.reserve(stepOf(RUN_A), callOf(300, 400), signal);
    expect(await b.budgets.reserve(stepOf(RUN_B), callOf(300, 400), signal)).toMatchObject({
      message:
        "The budget of ada of 1,000 tokens a day is used up: 700 tokens are used or reserved, and the next step of this run may need 700 tokens. It opens again at 2026-11-22T00:00Z, or ask an operator to raise BUDGET_PRINCIPAL_TOKENS_PER_DAY.",
    });
    expect(await b.budgets.reserve(stepOf(RUN_C), callOf(300, 400), signal)).toMatchObject({ kind: "reserved" });
  });

  it("that refuses a step leaves the others undrawn", async () => {
    await using b = await setup(parts);
    await b.budgets.reserve(stepOf(RUN_A), callOf(300, 600), signal);
    expect(await b.budgets.reserve(stepOf(RUN_C), callOf(300, 400), signal)).toMatchObject({
      message: expect.stringContaining("The budget of the tenant acme of 1,500 tokens a day is used up") as string,
    });
    expect(await usedOf(b.store, { principal: "bob" })).toMatchObject({ tokens: 0 });
    expect(await usedOf(b.store, { tenant: "acme" })).toMatchObject({ tokens: 900 });
  });

  it("is new at midnight by the store's clock, whatever the step believes", async () => {
    await using b = await setup(parts);
    const late = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(500, 400), signal));
    b.advance(90 * 60_000);
    // The step began before midnight.
    expect(await b.budgets.reserve(stepOf(RUN_B), callOf(500, 400), signal)).toMatchObject({ kind: "reserved" });
    const tomorrow = EVENING + 90 * 60_000;
    expect(await usedOf(b.store, { principal: "ada" }, tomorrow)).toMatchObject({ tokens: 900 });
    // A reservation is settled in the budget of its own day.
    await b.budgets.settle(late, used(100, 0));
    expect(await usedOf(b.store, { principal: "ada" }, EVENING)).toMatchObject({ tokens: 100 });
    expect(await usedOf(b.store, { principal: "ada" }, tomorrow)).toMatchObject({ tokens: 900 });
  });

  it("is forgotten two days after its day, with any unsettled reservations", async () => {
    await using b = await setup(parts);
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(500, 400), signal));
    b.advance(3 * 86_400_000);
    await b.others.settle(reservation, used(100, 0));
    expect(await usedOf(b.store, { principal: "ada" }, EVENING)).toMatchObject({ tokens: 0 });
  });

  it("is closed for a run whose requester is unknown", async () => {
    await using b = await setup(parts);
    expect(await b.budgets.reserve(stepOf("rn_01_01JD0000000000000000000009"), callOf(1, 1), signal)).toMatchObject({
      kind: "refused",
      code: "origin_unknown",
    });
  });
});

describe("a budget of money", () => {
  const parts = { env: { BUDGET_RUN_USD: "0.01" } };

  it("reserves the most that the call may cost, and settles what it cost", async () => {
    await using b = await setup(parts);
    // The prompt has 1,000 tokens that may all be written to a cache at $2.50, and the reply has 500 tokens at $10.
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(1000, 500), signal));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ microUsd: 2500 + 5000 });
    expect(await b.budgets.reserve(stepOf(RUN_A, 2), callOf(1000, 500), signal)).toMatchObject({
      message:
        "The run's budget of $0.01 is used up: $0.0075 are used or reserved, and the next step of this run may need $0.0075. Ask an operator to raise BUDGET_RUN_USD.",
    });
    await b.budgets.settle(reservation, used(1000, 100, 3000));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ microUsd: 3000 });
  });

  it("is closed for a model of unknown price, with words that say what to do", async () => {
    await using b = await setup(parts);
    expect(await b.budgets.reserve(stepOf(RUN_A), callOf(1, 1, "claude-of-tomorrow"), signal)).toEqual({
      kind: "refused",
      code: "model_unpriced",
      message:
        'No price is known for the model "claude-of-tomorrow" of anthropic, and there is a budget of money: add the model to MODEL_TABLE_FILE, or remove the budget.',
    });
    await using tokens = await setup({ env: { BUDGET_RUN_TOKENS: "10" } });
    expect(await tokens.budgets.reserve(stepOf(RUN_A), callOf(1, 1, "claude-of-tomorrow"), signal)).toMatchObject({ kind: "reserved" });
  });

  it("keeps counting the maximum cost when the real cost is unknown", async () => {
    await using b = await setup(parts);
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(1000, 500), signal));
    await b.budgets.settle(reservation, { usage: { inputTokens: 10, outputTokens: 10, unpricedCalls: 1 }, toolCalls: 0 });
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 20, microUsd: 7500 });
  });

  it("does not limit a model that costs nothing", async () => {
    await using b = await setup(parts);
    const free = () => ({ provider: "ollama", model: "qwen3", promptTokens: 1e6, maxTokens: 1e6, toolCalls: 0 });
    expect(await b.budgets.reserve(stepOf(RUN_A), free, signal)).toMatchObject({ kind: "reserved" });
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ microUsd: 0 });
  });
});

describe("a budget of tool calls", () => {
  const parts = { env: { BUDGET_RUN_TOOL_CALLS: "5", BUDGET_TENANT_TOOL_CALLS_PER_DAY: "7" } };

  it("allows as many calls of a turn as are left, and the model still answers after that", async () => {
    await using b = await setup(parts);
    const turn = async (runId: string, epoch: number, calls: number) =>
      b.budgets.settle(reserved(await b.budgets.reserve(stepOf(runId, epoch), callOf(10, 10), signal)), used(1, 1, 0, calls));
    expect([await turn(RUN_A, 1, 3), await turn(RUN_A, 2, 4), await turn(RUN_A, 3, 1), await turn(RUN_A, 4, 0)]).toEqual([3, 2, 0, 0]);
    expect(await turn(RUN_B, 1, 4)).toBe(0);
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ toolCalls: 5 });
  });

  it("is drawn on by a profile's fixed calls as a whole or not at all", async () => {
    await using b = await setup(parts);
    const seed = (toolCalls: number) => () => ({ provider: "toolbus", model: "seed", promptTokens: 0, maxTokens: 0, toolCalls });
    expect(await b.budgets.reserve(stepOf(RUN_A), seed(6), signal)).toMatchObject({
      message: expect.stringContaining("too small for the next step of this run, which asks for 6 tool calls") as string,
    });
    expect(await b.budgets.reserve(stepOf(RUN_A, 2), seed(5), signal)).toMatchObject({ kind: "reserved" });
    expect(await usedOf(b.store, { tenant: "acme" })).toMatchObject({ toolCalls: 5 });
    await using tokens = await setup({ env: { BUDGET_RUN_TOKENS: "10" } });
    expect(await tokens.budgets.reserve(stepOf(RUN_A), seed(6), signal)).toEqual({ kind: "reserved", holds: [] });
  });
});

describe("a store that cannot say", () => {
  const parts = { env: { BUDGET_RUN_TOKENS: "1000", BUDGET_RUN_TOOL_CALLS: "5", BUDGET_TENANT_TOKENS_PER_DAY: "1000" } };

  it("closes every budget: no model may be asked then", async () => {
    await using b = await setup(parts, (store) => ({ ...store, commit: () => Promise.reject(new StoreUnavailable("away")) }));
    await expect(b.budgets.reserve(stepOf(RUN_A), callOf(1, 1), signal)).rejects.toThrow(StoreUnavailable);
  });

  it("about one budget leaves the others undrawn", async () => {
    await using b = await setup(parts, (store) => ({
      ...store,
      commit: (shard, change) => (shard === "03" ? Promise.reject(new StoreUnavailable("away")) : store.commit(shard, change)),
    }));
    await expect(b.budgets.reserve(stepOf(RUN_A), callOf(1, 1), signal)).rejects.toThrow(StoreUnavailable);
    expect(await usedOf(b.store, { tenant: "acme" })).toMatchObject({ tokens: 0 });
  });

  it("whether it took a settlement keeps the call counted as reserved, and allows no counted tool call", async () => {
    let away = false;
    await using b = await setup(parts, (store) => ({
      ...store,
      commit: (shard, change) => (away ? Promise.reject(new StoreUnavailable("away")) : store.commit(shard, change)),
    }));
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(100, 100), signal));
    away = true;
    expect(await b.budgets.settle(reservation, used(1, 1, 0, 2))).toBe(0);
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 200, toolCalls: 0 });
  });

  it("whether it took a change is asked again, and the change is made once", async () => {
    let lost = 0;
    await using b = await setup(parts, (store) => ({
      ...store,
      async commit(shard, change) {
        const reply = await store.commit(shard, change);
        if (lost++ % 2 === 0) throw new StoreUnavailable("the reply was lost");
        return reply;
      },
    }));
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), callOf(100, 100), signal));
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 200 });
    expect(await b.budgets.settle(reservation, used(40, 2, 0, 2))).toBe(2);
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 42, toolCalls: 2 });
    expect(await usedOf(b.store, { tenant: "acme" })).toMatchObject({ tokens: 42 });
  });

  it("delays a step no longer than the step may take", async () => {
    await using b = await setup(parts);
    await expect(b.budgets.reserve(stepOf(RUN_A), callOf(1, 1), AbortSignal.abort(new Error("cancelled")))).rejects.toThrow("cancelled");
    expect(await usedOf(b.store, { run: RUN_A })).toMatchObject({ tokens: 0 });
  });
});

describe("without a budget", () => {
  it("a step asks nothing of the store, and nothing is estimated", async () => {
    const never = (): never => {
      throw new Error("asked");
    };
    await using b = await setup({}, (store) => ({ ...store, read: never, commit: never }));
    const reservation = reserved(await b.budgets.reserve(stepOf(RUN_A), never, signal));
    expect(await b.budgets.settle(reservation, used(1, 1, 0, 32))).toBe(32);
    await b.budgets.release(reservation);
  });

  it("a step with a budget costs two commits per call", async () => {
    const asked: string[] = [];
    await using b = await setup({ env: { BUDGET_RUN_TOKENS: "100000" } }, (store) => ({
      ...store,
      read: (wanted) => (asked.push("read"), store.read(wanted)),
      commit: (shard, change) => (asked.push("commit"), store.commit(shard, change)),
    }));
    for (const epoch of [1, 2, 3])
      await b.budgets.settle(reserved(await b.budgets.reserve(stepOf(RUN_A, epoch), callOf(10, 10), signal)), used(1, 1));
    expect(asked).toEqual(["read", "commit", "commit", "commit", "commit", "commit", "commit"]);
  });
});
