import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { keptFacts } from "../invariants/facts.ts";
import { FAULT_NAMES, type FaultName } from "../ports/faults.ts";
import { quietPlan } from "../world/plan.ts";
import { type Explanation, unexplainedCrashes, unexplainedEnds } from "./explained-ends.ts";

describe("an end other than done", () => {
  it.each([
    "poison_run",
    "provider_failed",
    "time_limit",
    "cancelled",
    "conversation_busy",
    "model_timeout",
    "step_failed",
    "network_failed",
    "budget_exhausted",
  ])("as %s is unexplained if nothing went wrong and nobody cancelled", (code) => {
    expect(unexplainedEnds(factsWith(code), world())).toEqual([
      `progress: the run rn_1 ended as failed with ${code}, which nothing in this world explains`,
    ]);
  });

  it("is explained by its cause", () => {
    expect(unexplainedEnds(factsWith("provider_failed"), world({ failing_model: 1 }))).toEqual([]);
    expect(unexplainedEnds(factsWith("time_limit"), world({ slow_target: 1 }))).toEqual([]);
    expect(unexplainedEnds(factsWith("time_limit"), world({ forged: 1 }))).toEqual([]);
    expect(unexplainedEnds(factsWith("cancelled"), world({}, 0.2))).toEqual([]);
  });

  it("as poison needs as many faults as a round has attempts", () => {
    expect(unexplainedEnds(factsWith("poison_run"), world({ kill: 9 }))).toHaveLength(1);
    expect(unexplainedEnds(factsWith("poison_run"), world({ kill: 5, lost_reply: 5 }))).toEqual([]);
  });

  it("as a loop needs as many equal or failed rounds as the run says", () => {
    expect(unexplainedEnds(factsWith("loop", { repeats: { hash: "", count: 2 }, fruitless: 4 }), world())).toHaveLength(1);
    expect(unexplainedEnds(factsWith("loop", { repeats: { hash: "", count: 3 } }), world())).toEqual([]);
    expect(unexplainedEnds(factsWith("loop", { repeats: { hash: "", count: 1 }, fruitless: 5 }), world())).toEqual([]);
  });

  it("with an unknown code, or none, is never explained", () => {
    for (const code of ["unheard_of", undefined]) expect(unexplainedEnds(factsWith(code), world({ kill: 100 }, 1))).toHaveLength(1);
  });
});

describe("a call that was given up because its workers died", () => {
  it("is unexplained if fewer than two processes died", () => {
    const facts = keptFacts();
    const value = { callId: "rn_1.1.0", result: { error: { code: "worker_crashed" } } };
    const put = [{ key: "tb:call:{00}:rn_1.1.0", value }];
    facts.take({ kind: "commit", at: 0, shard: "00", commit: 1, change: { op: "join", guards: [], put } });
    expect(unexplainedCrashes(facts, world({ kill: 1 }))).toHaveLength(1);
    expect(unexplainedCrashes(facts, world({ kill: 2 }))).toEqual([]);
  });
});

function factsWith(code: string | undefined, more: JsonObject = {}) {
  const facts = keptFacts();
  const value = { runId: "rn_1", status: "failed", ending: { text: "It ended.", ...(code === undefined ? {} : { code }) }, ...more };
  facts.take({
    kind: "commit",
    at: 0,
    shard: "00",
    commit: 1,
    change: { op: "end", guards: [], put: [{ key: "tb:run:{00}:rn_1", value }] },
  });
  return facts;
}

function world(injected: Partial<Record<FaultName, number>> = {}, cancels = 0): Explanation {
  const counts = Object.fromEntries(FAULT_NAMES.map((name) => [name, injected[name] ?? 0])) as Record<FaultName, number>;
  return { injected: counts, plan: quietPlan("quiet", [], { cancels }) };
}
