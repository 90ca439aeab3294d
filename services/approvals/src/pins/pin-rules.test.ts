import type { Pin, Registration, ToolDefinition } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { grantedBeside, guardsLess, pinFault, pinVerdict, standsBeside } from "./pin-rules.ts";
import { refund, START } from "../testing/writes-under-test.ts";

const rule = refund.risk.rules?.[0];

describe("pins at the first registration", () => {
  it("give a name to the toolset that registered it first, and then keep it there", () => {
    const registered = [registration("late", refund, 2), registration("first", refund, 1)];
    expect(pinVerdict(null, registered)).toMatchObject({ kind: "pin", toolset: "first" });
    expect(pinVerdict(pin("first", refund), [registration("late", { ...refund, version: "9" }, 9)])).toEqual({ kind: "keep" });
  });

  it("take the newest definition of the owner, and leave a known one alone", () => {
    const newer = { ...refund, version: "2" };
    expect(pinVerdict(pin("orders", refund), [registration("orders", newer, 2), registration("orders", refund, 1)])).toMatchObject({
      kind: "pin",
      definition: newer,
    });
    expect(pinVerdict(pin("orders", refund), [registration("orders", refund, 1)])).toEqual({ kind: "keep" });
  });

  it("leave a less strict definition to an operator", () => {
    expect(pinVerdict(pin("orders", refund), [registration("orders", { ...refund, risk: { tier: "low" } }, 2)])).toMatchObject({
      kind: "operator",
    });
  });
});

describe("versions besides the pinned one", () => {
  const main = { ...refund, version: "10" };
  const older = { ...refund, version: "9" };
  const weaker = { ...refund, version: "8", risk: { tier: "low" as const } };

  it("are those of the same toolset that are no less strict", () => {
    const registered = [
      registration("orders", main, 1),
      registration("orders", older, 1),
      registration("orders", weaker, 1),
      registration("billing", { ...refund, version: "7" }, 1),
    ];
    expect(grantedBeside(pin("orders", main), registered).map(({ definition }) => definition.version)).toEqual(["9"]);
  });

  it("no longer count when the tool is switched off, given to another toolset, or made stricter", () => {
    const beside = { toolset: "orders", definition: older };
    expect(standsBeside(pin("orders", main), beside)).toBe(true);
    expect(standsBeside({ ...pin("orders", main), enabled: false }, beside)).toBe(false);
    expect(standsBeside(pin("billing", main), beside)).toBe(false);
    expect(standsBeside(pin("orders", { ...main, risk: { tier: "critical" } }), beside)).toBe(false);
  });

  it("leave the pin to the highest number, not to the last registration", () => {
    expect(pinVerdict(null, [registration("orders", main, 1), registration("orders", older, 2)])).toMatchObject({ definition: main });
  });
});

describe("a definition is less strict", () => {
  const scoped: ToolDefinition = { ...refund, scopes: ["orders"] };
  it.each([
    ["with a lower tier", refund, { ...refund, risk: { ...refund.risk, tier: "low" as const } }, /tier falls from medium to low/],
    ["without a rule", refund, { ...refund, risk: { tier: "medium" as const } }, /"more than 50" is gone or lower/],
    [
      "with a rule of a lower tier",
      refund,
      { ...refund, risk: { ...refund.risk, rules: rule ? [{ ...rule, tier: "medium" as const }] : [] } },
      /gone or lower/,
    ],
    ["without a scope", scoped, refund, /scope "orders"/],
  ])("%s", (_case, pinned, changed, reason) => {
    expect(guardsLess(changed, pinned)).toMatch(reason);
  });

  it.each([
    ["a higher tier instead of the rule", { ...refund, risk: { tier: "high" as const } }],
    ["another description", { ...refund, description: "Pays back." }],
    ["one more scope", scoped],
  ])("but not with %s", (_case, changed) => {
    expect(guardsLess(changed, refund)).toBeNull();
  });
});

describe("the reasons to refuse a write its grant", () => {
  it("are no pin, a switched-off one, another toolset or another definition", () => {
    const asked = { toolName: refund.name, toolHash: "hash of 1", toolset: "orders" };
    expect(pinFault(null, asked)).toMatch(/operator has to enable it/);
    expect(pinFault({ ...pin("orders", refund), enabled: false }, asked)).toMatch(/switched off/);
    expect(pinFault(pin("other", refund), asked)).toMatch(/belongs to the toolset "other"/);
    expect(pinFault(pin("orders", { ...refund, version: "2" }), asked)).toMatch(/not the one that is enabled \(version 2\)/);
    expect(pinFault(pin("orders", refund), asked)).toBeNull();
  });
});

// These hashes are made up. The registry checks that real hashes are genuine, so the rules do not.
function registration(toolset: string, definition: ToolDefinition, registeredAt: number): Registration {
  return { toolset, definition, hash: hashOf(definition), registeredAt, lastSeenAt: registeredAt };
}

function pin(toolset: string, definition: ToolDefinition): Pin {
  return { toolset, definition, hash: hashOf(definition), enabled: true, pinnedAt: START, pinnedBy: "first_sight" };
}

function hashOf({ version, risk }: ToolDefinition): string {
  return risk === refund.risk ? `hash of ${version}` : `hash of ${version} at ${risk.tier}`;
}
