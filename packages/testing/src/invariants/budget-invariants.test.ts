import { callIdOf, type Json } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { budgetBook } from "./budget-invariants.ts";
import { keptFacts } from "./facts.ts";

const RUN = "rn_0b_01JD0000000000000000000001";
const WINDOW = `tb:budget:{0b}:run:${RUN}`;
const NO_LIMIT = { tokens: 0, toolCalls: 0 };

describe("a budget", () => {
  it("holds if a call is reserved, made, answered and counted", () => {
    const reported = setup({ tokens: 1000, toolCalls: 2 });
    expect(reported.reserve("1.1", 400)).toEqual([]);
    expect(reported.book.asked(RUN)).toEqual([]);
    reported.book.answered(RUN);
    expect(reported.settle("1.1", 15, 2)).toEqual([]);
    expect(reported.turn(2)).toEqual([]);
  });

  it("is broken if the model is asked and nothing is reserved", () => {
    const reported = setup({ tokens: 1000, toolCalls: 0 });
    reported.reserve("1.1", 400);
    expect(reported.book.asked(RUN)).toEqual([]);
    expect(reported.book.asked(RUN).join()).toContain("was asked for");
  });

  it("is broken if more is reserved than the budget has", () => {
    const reported = setup({ tokens: 700, toolCalls: 0 });
    expect(reported.reserve("1.1", 400)).toEqual([]);
    expect(reported.reserve("1.2", 400).join()).toContain("has 800 tokens, and 700 is the most");
  });

  it("is broken if more tool calls are counted, or made, than the budget has", () => {
    const reported = setup({ tokens: 0, toolCalls: 2 });
    reported.reserve("1.1", 400);
    expect(reported.settle("1.1", 15, 3).join()).toContain("3 tool calls, and 2 is the most");
    const other = setup({ tokens: 0, toolCalls: 2 });
    other.reserve("1.1", 400);
    other.settle("1.1", 15, 1);
    expect(other.turn(2).join()).toContain("2 tool calls are made");
  });

  it("is broken if an answer releases its whole reservation, and holds if an unanswered call does", () => {
    const reported = setup({ tokens: 1000, toolCalls: 0 });
    reported.reserve("1.1", 400);
    expect(reported.settle("1.1", 0, 0)).toEqual([]);
    reported.reserve("1.2", 400);
    reported.book.answered(RUN);
    expect(reported.settle("1.2", 0, 0).join()).toContain("the model answered 1 times");
  });

  it("is broken if anything but an answer's tokens replaces the reservation", () => {
    const reported = setup({ tokens: 1000, toolCalls: 0 });
    reported.reserve("1.1", 400);
    expect(reported.settle("1.1", 30, 0).join()).toContain("30 more than");
  });

  it("is broken if a run is stopped although the budget has room for it", () => {
    const reported = setup({ tokens: 1000, toolCalls: 0 });
    reported.reserve("1.1", 400);
    expect(reported.stopped()).toEqual([]);
    const other = setup({ tokens: 3000, toolCalls: 0 });
    other.reserve("1.1", 400);
    expect(other.stopped().join()).toContain("each of them had room");
  });

  it("requires nothing if nothing is limited", () => {
    const reported = setup(NO_LIMIT);
    expect(reported.book.asked(RUN)).toEqual([]);
    expect(reported.turn(9)).toEqual([]);
  });
});

/** Sets up the budget of one run, as the run's agent would write it. */
function setup(run: { readonly tokens: number; readonly toolCalls: number }) {
  const book = budgetBook({ run, principal: NO_LIMIT, tokensAnAnswer: 15 });
  const facts = keptFacts();
  const reserved = new Map<string, number>();
  let tokens = 0;
  let toolCalls = 0;
  let calls = 0;
  const commit = (part: Partial<Change>): readonly string[] => {
    const change = { op: "x", guards: [], ...part };
    return book.commit(facts.take({ kind: "commit", at: 0, shard: "0b", commit: 1, change }), change);
  };
  const window = () => ({
    key: WINDOW,
    value: { tokens, microUsd: 0, toolCalls, ceilings: { tokens: null, microUsd: null, toolCalls: null } },
  });
  return {
    book,
    reserve(name: string, amount: number) {
      tokens += amount;
      reserved.set(name, amount);
      return commit({ put: [{ key: `${WINDOW}:${name}`, value: { tokens: amount, microUsd: 0, toolCalls: 0 } }, window()] });
    },
    settle(name: string, used: number, asked: number) {
      tokens += used - (reserved.get(name) ?? 0);
      toolCalls += asked;
      return commit({ put: [window()], remove: [`${WINDOW}:${name}`] });
    },
    turn(made: number) {
      const put = Array.from({ length: made }, () => {
        const callId = callIdOf(RUN, 1, calls++);
        return { key: `tb:call:{0b}:${callId}`, value: { callId, runId: RUN, state: "dispatched" } as Json };
      });
      return commit({ put, append: [{ log: `tb:events:{0b}:${RUN}`, entries: [{ type: "turn" }] }] });
    },
    stopped: () => commit({ append: [{ log: `tb:events:{0b}:${RUN}`, entries: [{ type: "run.failed", code: "budget_exhausted" }] }] }),
  };
}
