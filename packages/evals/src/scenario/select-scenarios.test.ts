import { describe, expect, it } from "vitest";
import { madeUpScenario, madeUpSuite } from "../testing/made-up-suite.ts";
import { selectScenarios } from "./select-scenarios.ts";

const suite = madeUpSuite([
  madeUpScenario({ id: "one", tags: ["high"] }),
  madeUpScenario({ id: "two", tags: ["low"] }),
  madeUpScenario({ id: "three" }),
]);

describe("a choice of scenarios", () => {
  it("has those with an id or a tag, in the order of the suite and with another hash", () => {
    const selected = selectScenarios(suite, ["three", "high"]);
    if (!selected.ok) throw new Error(selected.problem);
    expect(selected.value.scenarios.map(({ id }) => id)).toEqual(["one", "three"]);
    expect(Object.keys(selected.value.scenarioHashes)).toEqual(["one", "three"]);
    expect(selected.value.hash).not.toBe(suite.hash);
    const other = selectScenarios({ ...suite, agentHash: "another" }, ["three", "high"]);
    expect(other.ok && other.value.hash).not.toBe(selected.value.hash);
  });

  it("is the whole suite without a choice, and if the choice has every scenario", () => {
    expect(selectScenarios(suite, [])).toEqual({ ok: true, value: suite });
    expect(selectScenarios(suite, ["one", "two", "three"])).toEqual({ ok: true, value: suite });
  });

  it("says which word fits nothing", () => {
    expect(selectScenarios(suite, ["high", "hihg"])).toEqual({
      ok: false,
      problem: 'No scenario of the suite made-up has the id or the tag "hihg". Its tags are high, low.',
    });
  });
});
