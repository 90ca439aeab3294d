import { describe, expect, it } from "vitest";
import { parsedArguments } from "./call-tool.ts";
import { exampleArguments } from "./example-arguments.ts";

describe("the example of a call", () => {
  it("has what the schema requires, with the schema's own examples if it has them", () => {
    const parameters = {
      type: "object",
      properties: {
        release_id: { type: "string", examples: ["v1.5.0"] },
        severity: { type: "string", enum: ["low", "high"] },
        count: { type: "integer", minimum: 5 },
        findings: { type: "array", items: { type: "string" } },
        note: { type: "string" },
      },
      required: ["release_id", "severity", "count", "findings"],
    };
    expect(exampleArguments(parameters)).toEqual({ release_id: "v1.5.0", severity: "low", count: 5, findings: ["…"] });
  });

  it("is empty for a tool without parameters, and for an empty schema", () => {
    expect(exampleArguments({ type: "object", properties: {} })).toEqual({});
    expect(exampleArguments({})).toEqual({});
  });

  it("takes an example from a description", () => {
    const parameters = {
      properties: { release_id: { type: "string", description: 'Its name, for example "v1.4.0"' } },
      required: ["release_id"],
    };
    expect(exampleArguments(parameters)).toEqual({ release_id: "v1.4.0" });
  });
});

describe("typed arguments", () => {
  it("are a JSON object", () => expect(parsedArguments('{"a": 1}')).toEqual({ a: 1 }));

  it.each(["", "{", "{a: 1}", "[1]", '"text"', "null"])("are refused when they are %j", (typed) => {
    expect(() => parsedArguments(typed)).toThrow(/^The arguments are /);
  });
});
