import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Json, JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { DraftDefinition } from "../tool/tool.ts";
import { lintTool } from "./lint-tool.ts";

const clean: DraftDefinition = {
  name: "look_up_order",
  version: "1",
  description: 'Looks an order up by its id, for example "ORD-8821". Output: id, state and total. Do not use it for invoices.',
  parameters: {
    type: "object",
    properties: { id: { type: "string", pattern: "^ORD-[0-9]+$" } },
    required: ["id"],
    additionalProperties: false,
  },
  kind: "read",
  risk: { tier: "low" },
  idempotency: { mode: "none" },
  timeoutMs: 5000,
};

/** Returns the findings for the changed definition, as "level code path". */
function found(change: Partial<DraftDefinition>): readonly string[] {
  return lintTool({ ...clean, ...change }).map(({ level, code, path }) => `${level} ${code} ${path}`);
}

/** Returns the findings if the parameters have one property, "it". */
function foundIn(property: Json): readonly string[] {
  return found({ parameters: { type: "object", properties: { it: property }, additionalProperties: false } });
}

const IT = "/parameters/properties/it";

describe("the lint", () => {
  it("finds nothing in a well-written definition", () => {
    expect(lintTool(clean)).toEqual([]);
  });

  it("says for every finding what the problem is and what to write instead", () => {
    const all = [
      ...lintTool({ ...clean, name: "send__", description: "Sends.", timeoutMs: 600_000, parameters: { type: "array" } }),
      ...lintTool({ ...clean, kind: "write", parameters: { ...clean.parameters, additionalProperties: true, required: ["no"] } }),
      ...[{}, { type: ["string", "null"] }, { type: "array" }, { type: "string" }, { type: "number" }, { $ref: "#/x" }].flatMap((it) =>
        lintTool({ ...clean, parameters: { type: "object", properties: { it }, additionalProperties: false } }),
      ),
    ];
    expect(new Set(all.map(({ code }) => code)).size).toBeGreaterThan(12);
    for (const { message, remedy } of all) {
      expect(message).toMatch(/^["A-Z].+[.:]$/);
      expect(remedy).toMatch(/^[A-Z].+[.;]$/);
    }
  });
});

describe("docs/tools.md", () => {
  it("lists exactly the codes that the lint can give, with their level", () => {
    const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/tools.md"), "utf8");
    const rows = [...page.matchAll(/^\| (`[a-z_`, ]+) \| (error|warning) \|/gm)].flatMap(([, codes = "", level]) => {
      const names = [...codes.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name);
      return names.map((name) => `${level} ${name.startsWith("_") ? `description${name}` : name}`);
    });
    const sources = readdirSync(import.meta.dirname).filter((file) => file.startsWith("lint-") && !file.endsWith(".test.ts"));
    const texts = sources.map((file) => readFileSync(path.join(import.meta.dirname, file), "utf8")).join("\n");
    const given = [...texts.matchAll(/\b(error|warning)\(\s*"([a-z_]+)"/g)].map(([, level, code]) => `${level} ${code}`);
    const described = ["purpose", "limits", "output", "not_for"].map((what) => `warning description_${what}`);
    expect(new Set(rows)).toEqual(new Set([...given, ...described]));
  });
});

describe("the lint of parameters refuses", () => {
  it.each<[string, JsonObject]>([
    ["no object", { type: "string" }],
    ["an object without properties", { type: "object" }],
    ["properties that are a list", { type: "object", properties: [] }],
  ])("%s at the root", (_, parameters) => {
    expect(found({ parameters })).toContain("error schema_root /parameters");
  });

  it.each<[string, Json, string]>([
    ["a schema without anything", {}, `error schema_empty ${IT}`],
    ["a schema that is just true", true, `error schema_empty ${IT}`],
    ["no type", { description: "Anything." }, `error schema_type ${IT}`],
    ["an unknown type", { type: "date" }, `error schema_type ${IT}/type`],
    ["null as a type", { type: "null" }, `error schema_type ${IT}/type`],
    ["several types", { type: ["string", "null"] }, `error schema_type ${IT}/type`],
    ["an array that does not say what it holds", { type: "array", maxItems: 1 }, `error schema_items ${IT}`],
    ["an array of anything", { type: "array", maxItems: 1, items: {} }, `error schema_empty ${IT}/items`],
    ["an array of items without a type", { type: "array", maxItems: 1, items: { title: "x" } }, `error schema_type ${IT}/items`],
    ["a list of items", { type: "array", maxItems: 1, items: [{ type: "string" }] }, `error schema_items ${IT}/items`],
    ["an open object with properties", { type: "object", properties: {} }, `error additional_properties ${IT}/additionalProperties`],
    [
      "a property of a property without a type",
      { type: "object", properties: { deep: {} }, additionalProperties: false },
      `error schema_empty ${IT}/properties/deep`,
    ],
    ["a map of anything", { type: "object", additionalProperties: {} }, `error schema_empty ${IT}/additionalProperties`],
    [
      "a required name that is not a property",
      { type: "object", properties: {}, required: ["gone"], additionalProperties: false },
      `error required_unknown ${IT}/required`,
    ],
  ])("%s as a parameter", (_, property, finding) => {
    expect(foundIn(property)).toContain(finding);
  });

  const words =
    "$ref $defs definitions $id allOf anyOf oneOf nullable not if then else dependencies dependentSchemas prefixItems additionalItems " +
    "contains patternProperties unevaluatedProperties";
  it.each(words.split(" "))("the keyword %s", (word) => {
    expect(foundIn({ type: "string", maxLength: 1, [word]: [] })).toContain(`error schema_word ${IT}/${word}`);
  });

  it("members that the root does not list", () => {
    for (const additionalProperties of [true, {}, { type: "string" }])
      expect(found({ parameters: { ...clean.parameters, additionalProperties } })).toContain(
        "error additional_properties /parameters/additionalProperties",
      );
  });

  it("an unknown dialect", () => {
    expect(found({ parameters: { ...clean.parameters, $schema: "http://json-schema.org/draft-03/schema#" } })).toEqual([
      "error schema_word /parameters/$schema",
    ]);
  });

  it("what no compiler accepts", () => {
    expect(foundIn({ type: "string", pattern: "(" })).toEqual(["error schema_broken /parameters/properties/it/pattern"]);
    expect(foundIn({ type: "string", maxLength: "9" })).toEqual(["error schema_broken /parameters/properties/it/maxLength"]);
    expect(foundIn({ type: "string", pattern: "a(?!b)" })).toEqual(["error schema_broken /parameters/properties/it/pattern"]);
  });

  it("what no compiler accepts, with what to write instead", () => {
    const remedies = (it: JsonObject) =>
      lintTool({ ...clean, parameters: { type: "object", properties: { it }, additionalProperties: false } }).map(({ remedy }) => remedy);
    expect(remedies({ type: "string", pattern: "a(?!b)", maxLength: 9 })).toEqual([
      expect.stringMatching(/alternatives .*docs\/tool-schemas\.md/),
    ]);
    expect(remedies({ type: "string", maxLength: "9" }).join()).toMatch(/Correct what it names; docs\/tool-schemas\.md/);
  });

  it("a risk rule that cannot be judged", () => {
    const risk = {
      tier: "low" as const,
      rules: [{ when: { properties: { it: { pattern: "(a)\\1" } } }, tier: "high" as const, reason: "twice" }],
    };
    expect(found({ risk })).toEqual(["error risk_rule_broken /risk/rules/0/when/properties/it/pattern"]);
  });

  it("neither items with properties and no type, nor a map with one type", () => {
    expect(foundIn({ type: "array", maxItems: 2, items: { properties: { n: { type: "boolean" } }, additionalProperties: false } })).toEqual(
      [],
    );
    expect(foundIn({ type: "object", additionalProperties: { type: "string", maxLength: 9 } })).toEqual([]);
  });
});

describe("the lint of parameters warns about", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["a string", { type: "string" }, { type: "string", maxLength: 200 }],
    ["an integer", { type: "integer" }, { type: "integer", minimum: 1, maximum: 50 }],
    ["a number", { type: "number" }, { type: "number", exclusiveMinimum: 0 }],
    ["an array", { type: "array", items: { type: "boolean" } }, { type: "array", items: { type: "boolean" }, maxItems: 8 }],
  ])("%s without a limit", (_, without, within) => {
    expect(foundIn(without)).toEqual([`warning parameter_unlimited ${IT}`]);
    expect(foundIn(within)).toEqual([]);
    expect(foundIn({ ...without, enum: ["one"] })).toEqual([]);
  });

  it("a missing limit deep inside", () => {
    const items = { type: "object", properties: { note: { type: "string" } }, additionalProperties: false };
    expect(foundIn({ type: "array", maxItems: 3, items })).toEqual([`warning parameter_unlimited ${IT}/items/properties/note`]);
  });

  it("an object with unknown members, and a keyword that JSON Schema does not define", () => {
    expect(foundIn({ type: "object" })).toEqual([`warning schema_open ${IT}`]);
    expect(foundIn({ type: "boolean", requierd: true })).toEqual([`warning schema_unknown_word ${IT}/requierd`]);
    expect(foundIn({ type: "boolean", "x-note": "ours" })).toEqual([]);
  });

  it("a parameter that chooses between jobs", () => {
    const enumOf = (name: string, choices: readonly string[]) =>
      found({ parameters: { type: "object", properties: { [name]: { type: "string", enum: choices } }, additionalProperties: false } });
    expect(enumOf("action", ["open", "list"])).toEqual(["warning several_jobs /parameters/properties/action"]);
    expect(enumOf("what", ["create_order", "cancel_order"])).toEqual(["warning several_jobs /parameters/properties/what"]);
    expect(enumOf("action", ["open"])).toEqual([]);
    expect(enumOf("state", ["open", "paid"])).toEqual([]);
  });
});

describe("the lint of the name", () => {
  it.each(["lookUp", "look-up", "look__up__", "_look", "look_up_", "1_look"])("refuses %s, which is not in snake case", (name) => {
    expect(found({ name })).toContain("error name_form /name");
  });

  it.each(["look_up", "web__search", "get_issue", "list_order_updates"])("accepts %s", (name) => {
    expect(found({ name })).toEqual([]);
  });
});

describe("the lint of the kind", () => {
  const write = { kind: "write", effect: "Do {id}." } as const;

  it.each(["create_support_ticket", "send_email", "issue_refund", "crm__update_customer"])("doubts that %s only reads", (name) => {
    for (const kind of ["read", "compute"] as const) expect(found({ name, kind })).toEqual(["warning kind_doubtful /kind"]);
    expect(found({ name, ...write })).toEqual([]);
  });

  it.each([
    "Opens a support ticket for a customer",
    "Send the customer an email",
    "Notifies every subscriber",
    "This tool will issue refunds",
    "Patches the invoice of an order",
  ])('doubts that a tool described as "%s" only reads, whatever its name is', (says) => {
    const description = clean.description.replace("Looks an order up", says);
    for (const kind of ["read", "compute"] as const)
      expect(found({ name: "support_desk", description, kind })).toEqual(["warning kind_doubtful /kind"]);
    expect(found({ name: "support_desk", description, ...write })).toEqual([]);
  });

  it.each(["Changes of a release", "Orders that a customer has open", "Open orders of a customer", "Looks up the refunds"])(
    'accepts "%s" as the description of a read',
    (says) => {
      expect(found({ description: clean.description.replace("Looks an order up", says) })).toEqual([]);
    },
  );
});

describe("the lint of what guards a call", () => {
  it("refuses a write that does not say what it does, or whose effect names an unknown parameter", () => {
    expect(found({ kind: "write" })).toEqual(["error effect_missing /effect"]);
    expect(found({ kind: "write", effect: "Refund {amount} on {id}." })).toEqual(["error effect_unknown /effect"]);
    expect(found({ kind: "write", effect: "Refund {id}." })).toEqual([]);
  });

  it("warns about an effect that shows a secret", () => {
    const parameters = { type: "object", properties: { password: { type: "string", maxLength: 9 } }, additionalProperties: false };
    const codes = found({ kind: "write", effect: "Sets {password}.", parameters } as never);
    expect(codes).toContain("warning effect_secret /effect");
  });

  it("warns about a call that may take longer than its caller waits", () => {
    expect(found({ timeoutMs: 30_001 })).toEqual(["warning timeout_long /timeoutMs"]);
    expect(found({ kind: "write", effect: "Refund {id}.", timeoutMs: 120_000 })).toEqual([]);
  });
});

describe("the lint of the description", () => {
  const { description } = clean;
  it.each([
    ["the purpose", "Looks up.", "description_purpose"],
    ["an example of the input", description.replace(', for example "ORD-8821"', ""), "description_limits"],
    ["the form of the output", description.replace("Output: id, state and total. ", ""), "description_output"],
    ["what it is not for", description.replace(" Do not use it for invoices.", ""), "description_not_for"],
  ])("warns when it lacks %s", (_, changed, code) => {
    expect(found({ description: changed })).toContain(`warning ${code} /description`);
  });

  it("accepts an example in a parameter's description, and asks for none if there are no parameters", () => {
    const without = description.replace(', for example "ORD-8821"', "");
    const id = { type: "string", maxLength: 20, description: "The id, such as ORD-8821." };
    expect(found({ description: without, parameters: { ...clean.parameters, properties: { id } } })).toEqual([]);
    expect(found({ description: without, parameters: { type: "object", properties: {}, additionalProperties: false } })).toEqual([]);
  });
});
