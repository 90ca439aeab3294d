import { type Approval, type Call, type Run } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { familyOf } from "../invariants/facts.ts";
import { runWorld, type WorldEnd } from "../world/world.ts";
import { canonicalRuns } from "./canonical-runs.ts";
import { killsOf, killText, runKill } from "./single-kills.ts";

/**
 * The test tries one of so many kills. CI tries one of 113, and `npm run simulate -- --exhaustive` tries all of them. Both numbers are prime, so each
 * selection has kills of every process.
 */
const ONE_OF = process.env["LONG_PROOFS"] === undefined ? 499 : 113;

describe("the canonical runs", () => {
  it("are a read and a write that happens once", async () => {
    const end = await canonical("read and write");
    expect(ended(end)).toEqual(["done"]);
    expect(documents<Call>(end, "call").map(({ toolName, result }) => `${toolName} ${result?.status}`)).toEqual([
      "look_up ok",
      "high_key ok",
    ]);
    expect([...end.facts.effects.values()].map((effects) => effects.length)).toEqual([1]);
  });

  it("are a write that needs two people", async () => {
    const end = await canonical("two approvers");
    expect(ended(end)).toEqual(["done"]);
    const [approval] = documents<Approval>(end, "approval");
    expect(approval?.decisions.map(({ approver }) => approver).toSorted()).toEqual(["amy", "ben"]);
  });

  it("are a write that one person approves with other arguments", async () => {
    const end = await canonical("edited");
    expect(ended(end)).toEqual(["done"]);
    const [call] = documents<Call>(end, "call");
    expect([call?.asked?.arguments, call?.result?.status]).toEqual(['{"n":2,"to":"nobody"}', "ok"]);
    expect([...end.facts.effects.values()].flat().map((effect) => effect.arguments)).toEqual([JSON.parse(call?.arguments ?? "null")]);
  });

  it("are results that are longer than a document, and parts of one that are read from working memory", async () => {
    const end = await canonical("long results");
    expect(ended(end)).toEqual(["done"]);
    const calls = documents<Call>(end, "call");
    expect(calls.map(({ toolName, result }) => `${toolName} ${result?.status}`)).toEqual([
      "look_up ok",
      "low_key ok",
      "get_from_working_memory ok",
    ]);
    expect(calls.map(({ result }) => (result?.contentRef?.chars ?? 0) > 0)).toEqual([true, true, true]);
  });

  it("are a run that is cancelled while it works", async () => {
    const end = await canonical("cancel");
    expect(ended(end)).toEqual(["cancelled"]);
  });
});

describe("a process that is killed", () => {
  it.each(canonicalRuns.map(({ name }, run) => ({ name, run })))(
    "breaks nothing at any step of '$name'",
    { timeout: 120_000 },
    async ({ run }) => {
      const kills = await killsOf(run);
      expect(kills.length).toBeGreaterThan(1000);
      const broken: string[] = [];
      for (const kill of kills.filter((_, i) => i % ONE_OF === 0)) {
        const { violations } = await runKill(kill);
        broken.push(...violations.map((violation) => `${killText(kill)}: ${violation}`));
      }
      expect(broken).toEqual([]);
    },
  );
});

async function canonical(name: string): Promise<WorldEnd> {
  const found = canonicalRuns.find((known) => known.name === name);
  if (!found) throw new Error(`There is no canonical run "${name}".`);
  const end = await runWorld(found.plan);
  expect(end.violations).toEqual([]);
  return end;
}

function ended(end: WorldEnd): readonly string[] {
  return documents<Run>(end, "run").map(({ status }) => status);
}

function documents<T>({ facts }: WorldEnd, family: string): readonly T[] {
  return [...facts.documents].filter(([key]) => familyOf(key) === family).map(([, value]) => value as unknown as T);
}
