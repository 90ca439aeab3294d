import { APPROVERS_NEEDED, type ApprovalPolicyFile, atLeast, LONGEST_WAIT_MS, type PolicyNeeds, TIERS } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgePolicy, type PolicyCase } from "./judge-policy.ts";
import { defaultPolicy, NO_SETTINGS, policyOf } from "./policy.ts";

const HOUR = 3_600_000;
// A Wednesday, 09:00 in Berlin.
const NOW = Date.parse("2026-06-03T07:00:00Z");
const DEFAULTS = { expiryMs: HOUR / 4, remindPercent: 50 };
const asked: PolicyCase = {
  tool: "issue_refund",
  toolset: "orders",
  source: "orders",
  tenant: "acme",
  arguments: { amount: 149.99, order: "ORD-8821" },
  risk: { tier: "medium", reasons: [] },
  now: NOW,
  latest: NOW + 9 * 24 * HOUR,
};
const judged = (file: Partial<ApprovalPolicyFile>, part: Partial<PolicyCase> = {}) =>
  judgePolicy(policyOf({ version: 1, ...file }), { ...asked, ...part }, DEFAULTS);

const above50 = { properties: { amount: { exclusiveMinimum: 50 } } };

describe("a policy", () => {
  it("without content leaves the tier, its number of approvers and the settings' time as they are", () => {
    expect(judgePolicy(defaultPolicy(), asked, DEFAULTS)).toEqual({
      tier: "medium",
      reasons: [],
      need: 0,
      expiresAt: NOW,
      terms: { version: defaultPolicy().version, rules: [] },
    });
    expect(judged({}, { risk: { tier: "critical", reasons: ["a wire"] } })).toMatchObject({
      tier: "critical",
      reasons: ["a wire"],
      need: 2,
      expiresAt: NOW + HOUR / 4,
      terms: { remindAt: NOW + HOUR / 8 },
    });
  });

  it("raises a refund above 50 to high, with the reason that approvers read", () => {
    const rules = [{ name: "big", tools: ["issue_refund"], when: above50, tier: "high" as const, reason: "a refund above 50" }];
    expect(judged({ rules })).toMatchObject({ tier: "high", reasons: ["a refund above 50"], need: 1, terms: { rules: ["big"] } });
    expect(judged({ rules }, { arguments: { amount: 50 } })).toMatchObject({ tier: "medium", reasons: [], terms: { rules: [] } });
    expect(judged({ rules }, { tool: "add_note" })).toMatchObject({ tier: "medium" });
  });

  it("never lowers the tier of a call", () => {
    const rules = [{ name: "calm", tier: "low" as const, reason: "all is well" }];
    expect(judged({ rules }, { risk: { tier: "critical", reasons: [] } })).toMatchObject({ tier: "critical", need: 2 });
  });

  it("applies a rule whose condition cannot be judged", () => {
    const costly = { properties: { order: { pattern: "(a|aa|aaa)*b" } } };
    const rules = [{ name: "costly", when: costly, tier: "high" as const, reason: "cannot be judged" }];
    expect(judged({ rules }, { arguments: { order: "a".repeat(60_000) } })).toMatchObject({ tier: "high", terms: { rules: ["costly"] } });
    const refused = [{ name: "refused", when: { pattern: "(?<=x)y" }, tier: "high" as const, reason: "never compiles" }];
    expect(judged({ rules: refused })).toMatchObject({ tier: "high" });
  });

  it("is for tools by name, toolset and source, and for tenants", () => {
    const with_ = (tools: string[], tenants?: string[]) =>
      judged({ rules: [{ name: "one", tools, ...(tenants ? { tenants } : {}), tier: "high", reason: "because" }] }).tier;
    expect([with_(["issue_refund"]), with_(["toolset:orders"]), with_(["source:orders"])]).toEqual(["high", "high", "high"]);
    expect([with_(["refund"]), with_(["toolset:web"]), with_(["source:mcp:orders"])]).toEqual(["medium", "medium", "medium"]);
    expect([with_(["issue_refund"], ["acme"]), with_(["issue_refund"], ["other"])]).toEqual(["high", "medium"]);
  });

  it("asks people about every write with HITL_MODE=required, and about the tools of WRITE_TOOLS", () => {
    const required = policyOf({ version: 1 }, { hitlMode: "required", writeTools: [] });
    const listed = policyOf({ version: 1 }, { hitlMode: "auto", writeTools: ["toolset:orders"] });
    for (const policy of [required, listed])
      expect(judgePolicy(policy, { ...asked, risk: { tier: "low", reasons: [] } }, DEFAULTS)).toMatchObject({ tier: "high", need: 1 });
    expect(judgePolicy(listed, { ...asked, toolset: "web" }, DEFAULTS)).toMatchObject({ tier: "medium", need: 0 });
    expect(judged({ hitlMode: "required" })).toMatchObject({ tier: "high", reasons: ["every write needs a person"] });
  });

  it("adds up what the tier and the rules need, and a rule for a tier applies after every other has raised it", () => {
    const file: Partial<ApprovalPolicyFile> = {
      tiers: { high: { approvers: 1, from: ["role:approver"], ticket: "^T-", expires: "1d" }, medium: { approvers: 3 } },
      rules: [
        { name: "late", tiers: ["high"], needs: { groups: { finance: 1, ops: 1 }, expires: "4h" } },
        { name: "raise", tier: "high", reason: "because", needs: { from: ["group:finance"], expires: "2h" } },
        { name: "other", tiers: ["critical"], needs: { approvers: 9 } },
      ],
    };
    expect(judged(file)).toMatchObject({
      tier: "high",
      need: 2,
      expiresAt: NOW + 2 * HOUR,
      terms: {
        rules: ["late", "raise"],
        from: [["role:approver"], ["group:finance"]],
        groups: { finance: 1, ops: 1 },
        tickets: ["^T-"],
        remindAt: NOW + HOUR,
      },
    });
  });

  it("lets the time stand still outside of the hours, also for reminder and escalation", () => {
    const week = { zone: "Europe/Berlin", days: ["mon", "tue", "wed", "thu", "fri"] as ("mon" | "fri")[], from: "08:00", to: "18:00" };
    const needs: PolicyNeeds = { expires: "4h", hours: "office", remind: 25, escalate: { after: 75, to: ["pager"] } };
    const friday = Date.parse("2026-06-05T15:00:00Z");
    const risk = { tier: "high", reasons: [] } as const;
    expect(
      judged({ hours: { office: week }, tiers: { high: needs } }, { now: friday, latest: friday + 9 * 24 * HOUR, risk }),
    ).toMatchObject({
      expiresAt: Date.parse("2026-06-08T09:00:00Z"),
      terms: { remindAt: friday + HOUR, escalateAt: Date.parse("2026-06-08T08:00:00Z"), escalateTo: ["pager"] },
    });
    const always = [{ name: "urgent", needs: { hours: "always" } }];
    expect(judged({ hours: { office: week }, tiers: { high: needs }, rules: always }, { now: friday, risk })).toMatchObject({
      expiresAt: friday + 4 * HOUR,
    });
  });

  it("never lets a write wait for longer than the origin of its run is kept", () => {
    const risk = { tier: "high", reasons: [] } as const;
    expect(judged({ tiers: { high: { expires: "6d" } } }, { risk, latest: NOW + 5 * HOUR }).expiresAt).toBe(NOW + 5 * HOUR);
  });
});

describe("for any policy and any call", () => {
  const tier = fc.constantFrom(...TIERS);
  const tools = fc.subarray(["issue_refund", "add_note", "toolset:orders", "toolset:web", "source:orders"], { minLength: 1 });
  const needs: fc.Arbitrary<PolicyNeeds> = fc.record(
    {
      approvers: fc.integer({ min: 1, max: 5 }),
      groups: fc.dictionary(fc.constantFrom("finance", "ops", "legal"), fc.integer({ min: 1, max: 2 }), { minKeys: 1 }),
      expires: fc.constantFrom("30m", "4h", "3d", "6d"),
      hours: fc.constantFrom("office", "always"),
      remind: fc.integer({ min: 0, max: 99 }),
    },
    { requiredKeys: [] },
  );
  const rule = fc.record(
    {
      name: fc.constantFrom("a", "b", "c"),
      tools,
      when: fc.constantFrom(above50, {}, { required: ["never"] }, { pattern: "(?<=x)y" }),
      tier,
      reason: fc.constant("because"),
      needs,
      tenants: fc.constantFrom(["acme"], ["other"]),
    },
    { requiredKeys: ["name"] },
  );
  const tierRule = fc.record({ name: fc.constant("by-tier"), tiers: fc.subarray([...TIERS], { minLength: 1 }), needs });
  const office = { zone: "America/New_York", days: ["mon", "wed", "sun"] as ("mon" | "wed" | "sun")[], from: "09:00", to: "17:00" };
  const file = fc.record(
    {
      version: fc.constant(1 as const),
      hitlMode: fc.constantFrom("auto" as const, "required" as const),
      writeTools: tools,
      hours: fc.constant({ office }),
      tiers: fc.record({ low: needs, medium: needs, high: needs, critical: needs }, { requiredKeys: [] }),
      rules: fc.array(fc.oneof(rule, tierRule), { maxLength: 6 }),
    },
    { requiredKeys: ["version"] },
  );
  const call = fc.record({
    amount: fc.integer({ min: 0, max: 100 }),
    tool: fc.constantFrom("issue_refund", "add_note", "send_mail"),
    toolset: fc.constantFrom("orders", "web"),
    pinned: tier,
    now: fc.integer({ min: NOW, max: NOW + 400 * 24 * HOUR }),
  });

  it("the tier is never below the pinned one, the number of approvers never below the tier's and the policy's, and the time within bounds", () => {
    fc.assert(
      fc.property(file, call, ({ ...content }, { amount, tool, toolset, pinned, now }) => {
        const policy = policyOf(content as ApprovalPolicyFile, NO_SETTINGS);
        const risk = { tier: pinned, reasons: ["pinned"] };
        const args = { amount };
        const made = judgePolicy(policy, { ...asked, tool, toolset, now, latest: now + 8 * 24 * HOUR, arguments: args, risk }, DEFAULTS);
        expect(atLeast(made.tier, pinned)).toBe(true);
        expect(made.need).toBeGreaterThanOrEqual(APPROVERS_NEEDED[made.tier]);
        expect(made.need).toBeGreaterThanOrEqual(APPROVERS_NEEDED[pinned]);
        expect(made.need).toBeGreaterThanOrEqual(content.tiers?.[made.tier]?.approvers ?? 0);
        const inGroups = Object.values(made.terms.groups ?? {}).reduce((sum, count) => sum + count, 0);
        expect(made.need).toBeGreaterThanOrEqual(inGroups);
        if (content.hitlMode === "required") expect(made.need).toBeGreaterThanOrEqual(1);
        // Without a rule that asks for more, the number is exactly the tier's or the policy's for this tier.
        if ((content.rules ?? []).length === 0) {
          const own = content.tiers?.[made.tier];
          const ofGroups = Object.values(own?.groups ?? {}).reduce((sum, count) => sum + count, 0);
          expect(made.need).toBe(Math.max(APPROVERS_NEEDED[made.tier], own?.approvers ?? 0, ofGroups));
        }
        expect(made.expiresAt).toBeGreaterThanOrEqual(now);
        expect(made.expiresAt).toBeLessThanOrEqual(now + LONGEST_WAIT_MS);
        const { remindAt = now, escalateAt = now } = made.terms;
        expect(Math.max(remindAt, escalateAt)).toBeLessThanOrEqual(made.expiresAt);
        // The arguments that are executed are never changed.
        expect(args).toEqual({ amount });
      }),
      { numRuns: 2000 },
    );
  });
});
