import { describe, expect, it } from "vitest";
import { publicTool } from "./public-tool.ts";
import type { ToolDefinition } from "./tool-definition.ts";

const definition: ToolDefinition = {
  name: "look_up_order",
  version: "3",
  description: "Looks an order up.",
  parameters: {
    type: "object",
    "x-owner": "billing",
    properties: {
      "x-ray": { type: "string", "x-column": "orders.xray", enum: ["x-1", "x-2"] },
      filter: {
        type: "object",
        properties: { since: { type: "string", "x-internal": true } },
        default: { "x-kept": 1 },
        additionalProperties: false,
      },
      ids: { type: "array", items: { type: "string", "x-hidden": "yes" } },
    },
    required: ["x-ray"],
    additionalProperties: false,
  },
  kind: "read",
  risk: { tier: "low" },
  idempotency: { mode: "none" },
  timeoutMs: 5000,
  source: "orders",
  owner: "team-orders",
  flag: "orders_enabled",
  scopes: ["orders:read"],
};

describe("what a model sees of a tool", () => {
  it("is its plain name, its description and its parameters, and nothing else", () => {
    expect(Object.keys(publicTool(definition))).toEqual(["name", "description", "parameters"]);
    expect(publicTool(definition)).toMatchObject({ name: "look_up_order", description: "Looks an order up." });
  });

  it("omits everything that begins with x-, at every depth, except names and data of the tool itself", () => {
    expect(publicTool(definition).parameters).toEqual({
      type: "object",
      properties: {
        "x-ray": { type: "string", enum: ["x-1", "x-2"] },
        filter: { type: "object", properties: { since: { type: "string" } }, default: { "x-kept": 1 }, additionalProperties: false },
        ids: { type: "array", items: { type: "string" } },
      },
      required: ["x-ray"],
      additionalProperties: false,
    });
  });

  it("is made once per definition", () => {
    expect(publicTool(definition)).toBe(publicTool(definition));
  });
});
