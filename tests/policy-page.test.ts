import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { judgePolicy, policyOf, readPolicy } from "@toolbus/approvals/policy";
import { assessRisk, type ToolDefinition } from "@toolbus/contracts";
import type { Toolset } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";

const root = path.dirname(import.meta.dirname);
const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");
const { orders } = (await import(pathToFileURL(path.join(root, "examples/orders-worker/src/orders.ts")).href)) as {
  orders(shop: object): Toolset;
};
const definition = orders({})
  .list()
  .find(({ definition: { name } }) => name === "issue_refund")?.definition as ToolDefinition;
const example = textOf("examples/orders-worker/policy.yaml");

const HOUR = 3_600_000;
const DEFAULTS = { expiryMs: HOUR / 4, remindPercent: 50 };
// A Friday, 17:00 in Berlin.
const NOW = Date.parse("2026-06-05T15:00:00Z");

/** Judges a refund by the example. */
function judged(amount: number, tenant = "acme") {
  const read = readPolicy(example, DEFAULTS, { targets: ["pager"], tools: ["issue_refund", "delete_customer", "toolset:orders"] });
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  const args = { order: "ORD-8821", amount, reason: "broken" };
  const { name: tool, source } = definition;
  const asked = {
    tool,
    toolset: "orders",
    source,
    tenant,
    arguments: args,
    risk: assessRisk(definition, args),
    now: NOW,
    latest: NOW + 200 * HOUR,
  };
  return judgePolicy(policyOf(read.file), asked, DEFAULTS);
}

describe("the example of docs/policy.md", () => {
  it("is the file that it names, unchanged", () => {
    const [, shown] = /```yaml\n([\s\S]+?)```/.exec(textOf("docs/policy.md")) ?? [];
    expect(shown).toBe(example);
  });

  it("explains the definition of the example worker", () => {
    expect(JSON.parse(textOf("examples/orders-worker/issue_refund.json"))).toEqual(definition);
  });

  it("judges as its table says", () => {
    expect(judged(20)).toMatchObject({ tier: "medium", need: 0 });
    expect(judged(30)).toMatchObject({
      tier: "high",
      need: 1,
      reasons: ["a refund above 20 EUR"],
      expiresAt: Date.parse("2026-06-08T09:00:00Z"),
      terms: { rules: ["refunds-above-20", "refund-desk"], from: [["group:support", "group:finance"]] },
    });
    expect(judged(80, "partners")).toMatchObject({
      tier: "high",
      need: 1,
      expiresAt: Date.parse("2026-06-05T16:00:00Z"),
      terms: { from: [["group:support", "group:finance"], ["group:partner-desk"]] },
    });
    const large = judged(2000);
    expect(large).toMatchObject({
      tier: "critical",
      need: 2,
      expiresAt: NOW + 48 * HOUR,
      terms: { groups: { finance: 1, ops: 1 }, tickets: ["^CHG-[0-9]{4,8}$"] },
    });
    expect(large.terms.from).toBeUndefined();
  });
});
