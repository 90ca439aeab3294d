import { describe, expect, it } from "vitest";
import { prng } from "../clockwork/prng.ts";
import { faults, ratesOf } from "../ports/faults.ts";
import { CHANGES, type Coverage, coverageOf, emptyCoverage, keptCoverage, notReached, TRANSITIONS } from "./coverage.ts";
import { CRASH_ROWS, FAULT_ROWS } from "./crash-rows.ts";

const NOTHING = faults(ratesOf(), prng("none")).injected;

describe("the places that a world reached", () => {
  it("are the transitions of obligatory documents, by the service that made them", () => {
    const reached = keptCoverage();
    const put = (key: string, value = {}) => [{ key, value }];
    reached.committed({ op: "turn:rn_1:0.1:x", guards: [], put: put("tb:run:{0b}:rn_1", { status: "waiting" }) });
    reached.committed({ op: "renew-7:rn_1:x", guards: [], put: put("tb:ledger.sim:{0b}:rn_1.0.0", { state: "begun" }) });
    reached.committed({ op: "join:rn_1:x", guards: [], put: put("tb:run:{0b}:rn_1", { status: "ready" }) });
    reached.committed({ op: "rate:x", guards: [], put: put("tb:quota:{0b}:x:rate") });
    const { transitions, changes } = reached.coverage(NOTHING);
    expect(transitions).toEqual({ "agent turn": 1, "worker renew": 1, "agent join": 1 });
    expect(changes).toEqual({
      "agent turn: run none → waiting": 1,
      "worker renew: row none → begun": 1,
      "agent join: run waiting → ready": 1,
    });
  });

  it.each([
    ["worker", ["worker-0.1: commit finish:rn_1.0.0:1:x >"], ["16"]],
    ["worker", ["worker-0.1: commit finish:rn_1.0.0:1:x >", "worker-0.1: read registry.sim:{0}:a >"], ["16"]],
    ["worker", ["worker-0.1: commit finish:rn_1.0.0:1:x >", "worker-0.1: commit finish:rn_1.0.0:1:x <", "worker-0.1: ack rn_1.0.0"], []],
    ["agent", ["agent-1.3: commit turn:rn_1:0.1:x >"], ["5"]],
    ["agent", ["agent-0.1: commit turn:rn_1:0.1:x >"], []],
  ])("is the place at which a %s was killed after %j", (role, labels, rows) => {
    const reached = keptCoverage();
    for (const label of labels) reached.step(label);
    reached.killed(role, role === "agent" ? "agent-1.3" : "worker-0.1");
    const { crashes } = reached.coverage(NOTHING);
    expect(Object.keys(crashes).filter((row) => (crashes[row] ?? 0) > 0)).toEqual(rows);
  });

  it("are added up over worlds", () => {
    const changed = "agent turn: run ready → waiting";
    const one: Coverage = { transitions: { "agent turn": 1 }, changes: { [changed]: 1 }, crashes: { "5": 1 } };
    expect(coverageOf(coverageOf(emptyCoverage(), one), one)).toEqual({
      transitions: { "agent turn": 2 },
      changes: { [changed]: 2 },
      crashes: { "5": 2 },
    });
  });
});

describe("places that were never reached", () => {
  const all: Coverage = {
    transitions: Object.fromEntries(TRANSITIONS.map((name) => [name, 1])),
    changes: Object.fromEntries(CHANGES.map((what) => [what, 1])),
    crashes: Object.fromEntries([...CRASH_ROWS, ...FAULT_ROWS].map(({ row }) => [row, 1])),
  };

  it("are reported from six hundred seeds on", () => {
    expect(notReached(emptyCoverage(), 599)).toEqual([]);
    expect(notReached(emptyCoverage(), 600)).toHaveLength(TRANSITIONS.length + CHANGES.length + CRASH_ROWS.length + FAULT_ROWS.length);
    expect(notReached(all, 600)).toEqual([]);
  });

  it.each(TRANSITIONS)("is the transition %s", (name) => {
    expect(notReached({ ...all, transitions: { ...all.transitions, [name]: 0 } }, 600)).toEqual([
      `never reached: the transition "${name}"`,
    ]);
  });

  it.each(CHANGES)("is the change %s", (what) => {
    expect(notReached({ ...all, changes: { ...all.changes, [what]: 0 } }, 600)).toEqual([`never reached: the change "${what}"`]);
  });

  it.each([...CRASH_ROWS, ...FAULT_ROWS])("is row $row of the crash table: $says", ({ row, says }) => {
    expect(notReached({ ...all, crashes: { ...all.crashes, [row]: 0 } }, 600)).toEqual([
      `never reached: row ${row} of the crash table: ${says}`,
    ]);
  });
});
