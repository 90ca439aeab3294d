import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { lintRules } from "./lint-rules.ts";

const parameters = {
  type: "object",
  properties: {
    amount: { type: "number" },
    to: { type: "object", properties: { iban: { type: "string" } }, additionalProperties: false },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } }, additionalProperties: false } },
    tags: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["amount"],
  additionalProperties: false,
};

function define(when: JsonObject) {
  return defineTool({
    name: "pay",
    description: "Pays a bill, e.g. 12.5. Output: its id. Do not use it for refunds.",
    kind: "write",
    parameters,
    risk: { tier: "low", rules: [{ when, tier: "high", reason: "much" }] },
    idempotency: { mode: "none" },
    effect: "Pay {amount}.",
    prepare: async (args) => args,
    run: async () => null,
  });
}

/** Returns the findings as "code path". */
function found(when: JsonObject): readonly string[] {
  return lintRules({ ...define({}).draft, risk: { tier: "low", rules: [{ when, tier: "high", reason: "much" }] } }).map(
    ({ code, path }) => `${code} ${path}`,
  );
}

const AT = "/risk/rules/0/when";

describe("a rule of the risk", () => {
  it("with a misspelt parameter is refused, with the name that was meant", () => {
    expect(() => define({ properties: { amuont: { exclusiveMinimum: 50 } } })).toThrow(
      'The tool "pay" has an invalid definition: The risk rule names "amuont" at /risk/rules/0/when, which is not a parameter of the tool. Did you mean "amount"? The parameters there: amount, to, lines, tags.',
    );
  });

  it("with a misspelt keyword is refused, with the keyword that was meant", () => {
    expect(() => define({ properties: { amount: { exclusiveMinimun: 50 } } })).toThrow(
      'The tool "pay" has an invalid definition: The risk rule has the keyword "exclusiveMinimun" at /risk/rules/0/when/properties/amount, which JSON Schema does not define. Did you mean "exclusiveMinimum"?',
    );
  });

  it.each<[JsonObject, string]>([
    [{ required: ["amuont"] }, `risk_rule_unknown ${AT}`],
    [{ amount: { minimum: 5 } }, `risk_rule_word ${AT}/amount`],
    [{ not: { properties: { a: true } } }, `risk_rule_unknown ${AT}/not`],
    [{ anyOf: [{}, { required: ["a"] }] }, `risk_rule_unknown ${AT}/anyOf/1`],
    [{ if: { properties: { a: true } } }, `risk_rule_unknown ${AT}/if`],
    [{ properties: { to: { properties: { ibn: true } } } }, `risk_rule_unknown ${AT}/properties/to`],
    [{ properties: { lines: { items: { required: ["skv"] } } } }, `risk_rule_unknown ${AT}/properties/lines/items`],
    [{ properties: { lines: { contains: { minimun: 1 } } } }, `risk_rule_word ${AT}/properties/lines/contains/minimun`],
    [{ $defs: { much: { minimun: 1 } } }, `risk_rule_word ${AT}/$defs/much/minimun`],
    [{ properties: { lines: { prefixItems: [{ minimun: 1 }] } } }, `risk_rule_word ${AT}/properties/lines/prefixItems/0/minimun`],
    [{ properties: { tags: { additionalProperties: { len: 1 } } } }, `risk_rule_word ${AT}/properties/tags/additionalProperties/len`],
  ])("%j is refused where the fault is", (when, fault) => expect(found(when)).toEqual([fault]));

  it.each<[JsonObject]>([
    [{}],
    [{ properties: { amount: { exclusiveMinimum: 50 }, to: { properties: { iban: { pattern: "^DE" } } } }, required: ["to"] }],
    [{ properties: { tags: { properties: { anything: true }, required: ["other"] } } }],
    [{ properties: { lines: { contains: { properties: { other: true } }, minContains: 2 } }, "x-note": "ours", $comment: "why" }],
    [{ $ref: "#/$defs/much", $defs: { much: { properties: { amount: { minimum: 5 } } } } }],
    [{ properties: { amount: { enum: [{ amuont: 1 }], const: { minimun: 1 }, default: { a: 1 } } } }],
  ])("%j is accepted", (when) => expect(found(when)).toEqual([]));
});
