import { describe, expect, it } from "vitest";
import { foreignSchema } from "./foreign-schema/index.ts";
import type { JsonObject } from "./json.ts";
import { parser } from "./parse.ts";
import { assessRisk, atLeast, checkArguments, renderEffect, type Tier, ToolDefinition, visible } from "./tool-definition.ts";

const parse = parser(ToolDefinition);

/** Returns the definition of a write that pays. The given fields replace its own. */
function paying(change: Partial<ToolDefinition> = {}): ToolDefinition {
  const definition: ToolDefinition = {
    name: "pay",
    version: "1",
    description: "Pays an amount.",
    parameters: {
      type: "object",
      properties: { amount: { type: "integer", minimum: 1 }, to: { type: "string" }, currency: { type: "string", default: "EUR" } },
      required: ["amount"],
      additionalProperties: false,
    },
    kind: "write",
    risk: { tier: "medium" },
    idempotency: { mode: "none" },
    timeoutMs: 1000,
    source: "orders",
    ...change,
  };
  if (!parse(definition).ok) throw new Error("The test's definition is not valid.");
  return definition;
}

const over = (minimum: number, tier: Tier, reason = `over ${minimum}`) => ({
  when: { type: "object", properties: { amount: { type: "integer", minimum } }, required: ["amount"] },
  tier,
  reason,
});

describe("a definition", () => {
  it.each([
    ["an unknown field", { audit: true }],
    ["a name with capitals", { name: "Pay" }],
    ["an unknown tier", { risk: { tier: "extreme" } }],
    ["an unknown idempotency", { idempotency: { mode: "often" } }],
    ["a time-out over ten minutes", { timeoutMs: 600_001 }],
  ])("is refused with %s", (_, change) => {
    expect(parse({ ...paying(), ...change }).ok).toBe(false);
  });
});

describe("the tier of a call", () => {
  it("is the definition's when no rule holds", () => {
    expect(assessRisk(paying({ risk: { tier: "medium", rules: [over(100, "high")] } }), { amount: 99 })).toEqual({
      tier: "medium",
      reasons: [],
    });
  });

  it("is the highest of the rules that hold, in whatever order they stand", () => {
    const rules = [over(10, "high"), over(1000, "critical"), over(1, "medium")];
    for (const ordered of [rules, rules.toReversed()]) {
      const { tier, reasons } = assessRisk(paying({ risk: { tier: "low", rules: ordered } }), { amount: 5000 });
      expect(tier).toBe("critical");
      expect(reasons.toSorted()).toEqual(["over 1", "over 10", "over 1000"]);
    }
  });

  it("is never lowered by a rule, whose reason is still reported", () => {
    expect(assessRisk(paying({ risk: { tier: "high", rules: [over(1, "low", "small")] } }), { amount: 1 })).toEqual({
      tier: "high",
      reasons: ["small"],
    });
  });

  it("does not change the arguments: a default inside a rule is not applied", () => {
    const args = { amount: 5 };
    const when = { type: "object", properties: { force: { type: "boolean", default: true } } };
    assessRisk(paying({ risk: { tier: "low", rules: [{ when, tier: "high", reason: "always" }] } }), args);
    expect(args).toEqual({ amount: 5 });
  });

  it("orders tiers by risk", () => {
    const tiers = ["low", "medium", "high", "critical"] as const;
    for (const [i, a] of tiers.entries()) for (const [j, b] of tiers.entries()) expect(atLeast(a, b)).toBe(i >= j);
  });
});

describe("arguments", () => {
  it("get the schema's defaults in place", () => {
    const args: JsonObject = { amount: 5 };
    expect(checkArguments(paying(), args)).toEqual([]);
    expect(args).toEqual({ amount: 5, currency: "EUR" });
  });

  it("are refused field by field", () => {
    expect(checkArguments(paying(), { amount: 0, extra: 1 })).toEqual([
      { path: "/extra", message: "is not a known field" },
      { path: "/amount", message: "must be >= 1" },
    ]);
  });

  it("are checked by one validator for equal schemas", () => {
    const schema = { type: "object", properties: { q: { type: "string" } } };
    expect(foreignSchema(structuredClone(schema))).toBe(foreignSchema(schema));
    expect(foreignSchema({ ...schema, required: ["q"] })).not.toBe(foreignSchema(schema));
  });
});

describe("the effect that an approver reads", () => {
  it("has the arguments filled in", () => {
    const definition = paying({ effect: "Pay {amount} to {to}, {urgent}, {lines}, {one}, {more}." });
    const args = { amount: 5, to: "Ada", urgent: true, lines: [1, 2], one: [1], more: { a: 1 } };
    expect(renderEffect(definition, args)).toBe('Pay 5 to Ada, true, 2 items, 1 item, {"a":1}.');
  });

  it("is the tool's name if the definition has no effect", () => {
    expect(renderEffect(paying(), {})).toBe('Runs the tool "pay".');
  });

  it("leaves a placeholder unchanged if there is no such argument, including inherited ones", () => {
    expect(renderEffect(paying({ effect: "{to} {constructor} {__proto__}" }), {})).toBe("{to} {constructor} {__proto__}");
  });

  it("fills nothing into a filled-in argument, and interprets no replacement patterns in it", () => {
    expect(renderEffect(paying({ effect: "To {to}." }), { to: "{amount} $& $1", amount: 5 })).toBe("To {amount} $& $1.");
  });

  it("truncates a long argument and marks the cut", () => {
    const said = renderEffect(paying({ effect: "To {to}." }), { to: "a".repeat(10_000) });
    expect(said).toBe(`To ${"a".repeat(200)}….`);
  });

  it("shows hidden characters of an argument, also in a list's member and in half a character at the cut", () => {
    expect(renderEffect(paying({ effect: "To {to}." }), { to: "Ada\u202eevil" })).toBe("To Ada\\u202eevil.");
    expect(renderEffect(paying({ effect: "With {more}." }), { more: { a: "\u200b" } })).toBe('With {"a":"\\u200b"}.');
    expect(renderEffect(paying({ effect: "{to}" }), { to: `${"a".repeat(199)}😀` })).toBe(`${"a".repeat(199)}\\ud83d…`);
  });
});

describe("visible text", () => {
  it.each([
    ["a bidirectional override", "\u202e", "\\u202e"],
    ["a bidirectional isolate", "\u2066", "\\u2066"],
    ["the Arabic letter mark", "\u061c", "\\u061c"],
    ["a zero-width space", "\u200b", "\\u200b"],
    ["a zero-width joiner", "\u200d", "\\u200d"],
    ["a word joiner", "\u2060", "\\u2060"],
    ["a byte order mark", "\ufeff", "\\ufeff"],
    ["a soft hyphen", "\u00ad", "\\u00ad"],
    ["a Mongolian vowel separator", "\u180e", "\\u180e"],
    ["a Hangul filler", "\u3164", "\\u3164"],
    ["a variation selector", "\ufe0f", "\\ufe0f"],
    ["a letter written with tags", "\u{e0041}", "\\u{e0041}"],
    ["NUL", "\u0000", "\\u0000"],
    ["an escape of the terminal", "\u001b", "\\u001b"],
    ["a carriage return", "\r", "\\u000d"],
    ["DEL", "\u007f", "\\u007f"],
    ["a C1 control", "\u0085", "\\u0085"],
    ["a line separator", "\u2028", "\\u2028"],
    ["half of a pair", "\ud800", "\\ud800"],
  ])("escapes %s", (_, hidden, shown) => {
    expect(visible(`a${hidden}b`)).toBe(`a${shown}b`);
  });

  it("leaves readable text unchanged", () => {
    const text = "Zeile 1\n\tZeile 2: Ärger, naïve, 日本語, עברית, \u00a0€ 😀";
    expect(visible(text)).toBe(text);
  });
});
