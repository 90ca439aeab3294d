import { RUN_STATUSES } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { keptFacts } from "./facts.ts";
import { brokenByTransition } from "./transition-invariants.ts";
import { transitionTables } from "./transition-tables.ts";

const RUN = "tb:run:{0b}:rn_0b_1";

describe("a change of a status", () => {
  it("holds if the table of its transition has it", () => {
    const reported = commits();
    expect(reported("start:rn_0b_1:x", RUN, { status: "ready" })).toEqual([]);
    expect(reported("acquire:rn_0b_1:1:x", RUN, { status: "ready" })).toEqual([]);
    expect(reported("turn:rn_0b_1:0.1:x", RUN, { status: "waiting" })).toEqual([]);
  });

  it.each(RUN_STATUSES.filter((status) => !["ready", "waiting", "done"].includes(status)))(
    "is broken if a turn makes a run %s",
    (status) => {
      const reported = commits();
      reported("start:rn_0b_1:x", RUN, { status: "ready" });
      expect(reported("turn:rn_0b_1:0.1:x", RUN, { status })).toEqual([
        `table: "agent turn" made run ready → ${status} of ${RUN}, which no table of transitions has`,
      ]);
    },
  );

  it("is broken if its transition is unknown, and if a row of a ledger goes back", () => {
    const reported = commits();
    expect(reported("by-hand:rn_0b_1", RUN, { status: "ready" })).toHaveLength(1);
    const row = "tb:ledger.sim:{0b}:rn_0b_1.0.0";
    expect(reported("finish:rn_0b_1.0.0:1:x", row, { state: "done" })).toEqual([]);
    expect(reported("begin:rn_0b_1.0.0:2:x", row, { state: "begun" })).toHaveLength(1);
  });

  it("is not checked for documents without a table", () => {
    expect(commits()("rate:x", "tb:rate.gateway:{0b}:x", { used: 1 })).toEqual([]);
  });
});

describe("the tables", () => {
  it("mark only existing changes as rare, with a sentence", () => {
    for (const { changes, rare = {} } of transitionTables)
      for (const [change, why] of Object.entries(rare)) {
        expect(changes).toContain(change);
        expect(why).toMatch(/\w+ \w+/);
      }
  });

  it("have no change of one transition twice", () => {
    for (const { changes } of transitionTables) expect(new Set(changes).size).toBe(changes.length);
  });

  it("lead to every status of a run", () => {
    const after = transitionTables.flatMap(({ changes }) => changes).flatMap((change) => /^run .* → (.*)$/.exec(change)?.[1] ?? []);
    expect(new Set(after)).toEqual(new Set(RUN_STATUSES));
  });
});

function commits() {
  const facts = keptFacts();
  let commit = 0;
  return (op: string, key: string, value: { readonly [name: string]: string | number }) => {
    const change = { op, guards: [], put: [{ key, value }] };
    return brokenByTransition(facts.take({ kind: "commit", at: 0, shard: "0b", commit: ++commit, change }), change);
  };
}
