import { keys, parseBudgetWindow } from "@toolbus/contracts";
import { memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
const CEILINGS = { run: 600, principal: 1000, tenant: 1500 } as const;
const PARTS: BudgetParts = {
  env: {
    BUDGET_RUN_TOKENS: String(CEILINGS.run),
    BUDGET_PRINCIPAL_TOKENS_PER_DAY: String(CEILINGS.principal),
    BUDGET_TENANT_TOKENS_PER_DAY: String(CEILINGS.tenant),
    BUDGET_RUN_TOOL_CALLS: "4",
    BUDGET_TENANT_TOOL_CALLS_PER_DAY: "6",
  },
};
const OWNERS = { [RUN_A]: "ada", [RUN_B]: "ada", [RUN_C]: "bob" } as const;
type RunId = keyof typeof OWNERS;

/** One step of a process, with the amounts that it asks for and its outcome. */
interface Step {
  readonly process: number;
  readonly runId: RunId;
  readonly prompt: number;
  readonly reply: number;
  /** The share of the reservation that the step uses. */
  readonly share: number;
  readonly calls: number;
  readonly end: "settled" | "released" | "crashed";
}

const steps = fc.array(
  fc.record<Step>({
    process: fc.nat(2),
    runId: fc.constantFrom(RUN_A, RUN_B, RUN_C),
    prompt: fc.integer({ min: 1, max: 300 }),
    reply: fc.integer({ min: 1, max: 200 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    calls: fc.nat(3),
    end: fc.constantFrom("settled", "released", "crashed"),
  }),
  { minLength: 1, maxLength: 16 },
);

/** Returns a ledger that adds a step's use to the budgets to which it belongs. */
function ledger() {
  const sums = new Map<string, number>();
  return {
    add(runId: RunId, tokens: number) {
      for (const name of [`run ${runId}`, `principal ${OWNERS[runId]}`, "tenant"]) sums.set(name, (sums.get(name) ?? 0) + tokens);
    },
    of: (name: string) => sums.get(name) ?? 0,
  };
}

describe("budgets that several processes draw on at once", () => {
  it("never pass a ceiling, lose no settlement and count a step that died as reserved, in whatever order the store works", async () => {
    let refusals = 0;
    let fullCalls = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.scheduler(), async (plan, scheduler) => {
        await using store = disposable(memoryStore({ clock: () => EVENING }));
        for (const runId of Object.keys(OWNERS)) await askedBy(store, runId, OWNERS[runId as RunId]);
        const watched = watching(store);
        // Every operation of every process waits until the scheduler releases it, in a random order.
        const state: StateStore = {
          ...watched,
          read: scheduler.scheduleFunction((wanted: readonly string[]) => watched.read(wanted)),
          commit: scheduler.scheduleFunction((shard: string, change: Parameters<StateStore["commit"]>[1]) => watched.commit(shard, change)),
        };
        const processes = [0, 1, 2].map(() => budgetsOf(state, PARTS));
        const expected = ledger();
        let allowed = 0;
        const taken = plan.map(async ({ process, runId, prompt, reply, share, calls, end }, n) => {
          const budgets = processes[process];
          if (!budgets) throw new Error(`no process ${process}`);
          const reservation = await budgets.reserve(stepOf(runId, n + 1), callOf(prompt, reply), signal);
          if (reservation.kind === "refused") return void (refusals += 1);
          if (end === "crashed") return expected.add(runId, prompt + reply);
          if (end === "released") return budgets.release(reservation);
          const inputTokens = Math.floor(prompt * share);
          const outputTokens = Math.floor(reply * share);
          const may = await budgets.settle(reservation, { usage: { inputTokens, outputTokens }, toolCalls: calls });
          expected.add(runId, inputTokens + outputTokens);
          allowed += may;
          if (may < calls) fullCalls += 1;
        });
        await scheduler.waitFor(Promise.all(taken));
        for (const runId of [RUN_A, RUN_B, RUN_C]) expect((await usedOf(store, { run: runId })).tokens).toBe(expected.of(`run ${runId}`));
        for (const principal of ["ada", "bob"])
          expect((await usedOf(store, { principal })).tokens).toBe(expected.of(`principal ${principal}`));
        expect((await usedOf(store, { tenant: "acme" })).tokens).toBe(expected.of("tenant"));
        // If one budget has room for a call and another one has none, the first still counts the call. So a budget never counts fewer calls than were
        // made.
        expect((await usedOf(store, { tenant: "acme" })).toolCalls).toBeGreaterThanOrEqual(allowed);
        expect(watched.passed()).toEqual([]);
      }),
      { numRuns: 300 },
    );
    // The test would prove nothing if every step had fitted the budgets.
    expect(refusals).toBeGreaterThan(100);
    expect(fullCalls).toBeGreaterThan(2);
  });

  it("do so when every reply of the store may be lost on its way", async () => {
    await fc.assert(
      fc.asyncProperty(
        steps.map((all) => all.slice(0, 5)),
        fc.infiniteStream(fc.boolean()),
        async (plan, losses) => {
          await using store = disposable(memoryStore({ clock: () => EVENING }));
          for (const runId of Object.keys(OWNERS)) await askedBy(store, runId, OWNERS[runId as RunId]);
          const watched = watching(store);
          const lossy: StateStore = {
            ...watched,
            async commit(shard, change) {
              const reply = await watched.commit(shard, change);
              if (losses.next().value === true) throw new StoreUnavailable("the reply was lost");
              return reply;
            },
          };
          const processes = [0, 1, 2].map(() => budgetsOf(lossy, PARTS));
          const least = ledger();
          await Promise.all(
            plan.map(async ({ process, runId, prompt, reply }, n) => {
              const budgets = processes[process];
              if (!budgets) throw new Error(`no process ${process}`);
              const reservation = await budgets.reserve(stepOf(runId, n + 1), callOf(prompt, reply), signal).catch(() => null);
              if (reservation?.kind !== "reserved") return;
              await budgets.settle(reservation, { usage: { inputTokens: prompt, outputTokens: 0 }, toolCalls: 0 });
              least.add(runId, prompt);
            }),
          );
          // If no process could settle a step, its reservation stays. So the sums are never too small, and never above the ceiling.
          expect((await usedOf(store, { tenant: "acme" })).tokens).toBeGreaterThanOrEqual(least.of("tenant"));
          for (const runId of [RUN_A, RUN_B, RUN_C])
            expect((await usedOf(store, { run: runId })).tokens).toBeGreaterThanOrEqual(least.of(`run ${runId}`));
          expect(watched.passed()).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  });
});

/** Returns the same store. After each commit it checks every budget that the commit wrote. */
function watching(store: StateStore): StateStore & { passed(): readonly string[] } {
  const passed: string[] = [];
  return {
    ...store,
    async commit(shard, change) {
      const reply = await store.commit(shard, change);
      for (const { key, value } of change.put ?? []) {
        const window = key.startsWith(keys.budget(shard, "")) ? parseBudgetWindow(value) : null;
        if (reply.outcome !== "ok" || !window?.ok) continue;
        const { tokens, toolCalls, ceilings } = window.value;
        if (tokens > (ceilings.tokens ?? Infinity) || toolCalls > (ceilings.toolCalls ?? Infinity))
          passed.push(`${key}: ${tokens} tokens, ${toolCalls} calls`);
      }
      return reply;
    },
    passed: () => passed,
  };
}

function disposable(store: StateStore): StateStore & AsyncDisposable {
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}
