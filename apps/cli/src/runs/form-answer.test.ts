import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { contentOf, fieldLines, fieldsOf, valueOf } from "./form-answer.ts";

const form = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  required: [...required],
});
const COLOURS = {
  type: "string",
  oneOf: [
    { const: "r", title: "Red" },
    { const: "g", title: "Green" },
  ],
};

describe("the form of a question on the command line", () => {
  it.each<[string, JsonObject, string, unknown]>([
    ["a text", { type: "string" }, " Una ", "Una"],
    ["a text of digits", { type: "string" }, "007", "007"],
    ["a number", { type: "number" }, "2.5", 2.5],
    ["a whole number", { type: "integer" }, "3", 3],
    ["words in place of a number, which the gateway refuses", { type: "integer" }, "three", "three"],
    ["a yes", { type: "boolean" }, "Yes", true],
    ["a no", { type: "boolean" }, "n", false],
    ["neither yes nor no, which the gateway refuses", { type: "boolean" }, "perhaps", "perhaps"],
    ["the number of a choice", COLOURS, "2", "g"],
    ["the title of a choice", COLOURS, "Red", "r"],
    ["the value of a choice", COLOURS, "r", "r"],
    ["no choice of the list, which the gateway refuses", COLOURS, "blue", "blue"],
    ["several choices", { type: "array", items: { type: "string", enum: ["a", "b", "c"] } }, "1, c", ["a", "c"]],
  ])("reads %s", (_, schema, typed, value) => {
    const [field] = fieldsOf(form({ field: schema }));
    expect(field && valueOf(field, typed)).toEqual(value);
  });

  it("takes a JSON object for any form, and a plain value only for a form with one field", () => {
    const one = form({ name: { type: "string" } });
    const two = form({ name: { type: "string" }, age: { type: "integer" } });
    expect(contentOf(one, "Una")).toEqual({ name: "Una" });
    expect(contentOf(two, "Una")).toBe(null);
    expect(contentOf(two, '{"name": "Una", "age": 3}')).toEqual({ name: "Una", age: 3 });
    expect(contentOf(undefined, "Una")).toBe(null);
  });

  it("shows the name, what is expected, and numbered choices, without control characters of a server", () => {
    const shown = fieldsOf(form({ colour: { ...COLOURS, title: "Co\u001b[2Jlour" }, sure: { type: "boolean" } }, ["sure"])).flatMap(
      fieldLines,
    );
    expect(shown).toEqual([
      expect.stringMatching(/^ {2}colour \(choose one, optional\) {2}Co/),
      "    1  Red",
      "    2  Green",
      "  sure (yes or no)",
    ]);
    expect(shown.join("")).not.toContain("\u001b");
  });
});
