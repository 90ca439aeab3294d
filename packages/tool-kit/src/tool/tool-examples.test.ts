import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { defineTool } from "./define-tool.ts";
import { examplesOf } from "./tool-examples.ts";
import { toolset, type ToolsetOptions } from "./toolset.ts";

const parameters = {
  type: "object",
  properties: { order: { type: "string", pattern: "^ORD-[0-9]+$" } },
  required: ["order"],
  additionalProperties: false,
};

function setup(examples?: ToolsetOptions["examples"]) {
  const lookUp = defineTool({ name: "look_up", kind: "read", description: "Looks up.", parameters, run: () => 1 });
  const orders = toolset({ name: "orders", tools: [lookUp], ...(examples ? { examples } : {}) });
  const warned: unknown[] = [];
  const log = { debug: () => undefined, warn: (...said: unknown[]) => void warned.push(said.at(-1)) };
  return { read: async () => [...(await examplesOf(orders, log, new AbortController().signal)).values()], warned };
}

describe("the examples of a toolset", () => {
  it("are the arguments that it declares", async () => {
    expect(await setup(() => ({ look_up: { order: "ORD-1" }, other: { order: "ORD-2" } })).read()).toEqual(['{"order":"ORD-1"}']);
    expect(await setup().read()).toEqual([]);
  });

  it.each<[JsonObject]>([[{ order: "1" }], [{}], [{ order: `ORD-${"1".repeat(1000)}` }]])(
    "leave out what the tool would refuse, and say so",
    async (args) => {
      const { read, warned } = setup(() => ({ look_up: args }));
      expect(await read()).toEqual([]);
      expect(warned).toEqual([expect.stringContaining("The example of the tool is left out: it ")]);
    },
  );

  it("are none when the toolset cannot say", async () => {
    const { read, warned } = setup(async () => {
      throw new Error("The target is down.");
    });
    expect(await read()).toEqual([]);
    expect(warned).toEqual([]);
  });
});
