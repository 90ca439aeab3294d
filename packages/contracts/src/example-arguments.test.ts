import { describe, expect, it } from "vitest";
import { exampleArguments } from "./example-arguments.ts";

const parameters = {
  type: "object",
  properties: {
    release_id: { type: "string", description: 'Its name, for example "v1.4.0"' },
    severity: { type: "string", enum: ["low", "high"] },
    area: { type: "string", examples: ["payments"] },
    count: { type: "integer", minimum: 5 },
    amount: { type: "number", exclusiveMinimum: 50 },
    note: { type: "string" },
  },
  required: ["severity", "area", "count", "amount"],
};

describe("the example of a call", () => {
  it("has what the schema requires, with the values that the schema names", () => {
    expect(exampleArguments(parameters)).toEqual({
      arguments: { severity: "low", area: "payments", count: 5, amount: 51 },
      complete: true,
    });
    expect(exampleArguments({})).toEqual({ arguments: {}, complete: true });
  });

  it("marks a text that nobody can know, and does not take it from a description", () => {
    const unknown = { ...parameters, required: ["release_id"] };
    expect(exampleArguments(unknown)).toEqual({ arguments: { release_id: "<release_id>" }, complete: false });
    const findings = { properties: { findings: { type: "array", items: { type: "string" } } }, required: ["findings"] };
    expect(exampleArguments(findings)).toEqual({ arguments: { findings: ["<findings>"] }, complete: false });
  });

  it("is the one that the tool's workers declare, if it can be read", () => {
    const unknown = { ...parameters, required: ["release_id"] };
    expect(exampleArguments(unknown, '{"release_id":"f2c967d"}')).toEqual({ arguments: { release_id: "f2c967d" }, complete: true });
    for (const broken of ["", "{", "[1]", '"text"']) expect(exampleArguments(unknown, broken).complete).toBe(false);
  });
});
