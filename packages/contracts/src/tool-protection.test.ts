import { describe, expect, it } from "vitest";
import { publicTool } from "./public-tool.ts";
import { definitionFault, type ToolDefinition } from "./tool-definition.ts";
import { argumentsTooLarge, protectionFault, protectionOf, withProtection } from "./tool-protection.ts";

const PARAMETERS = { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false } as const;
const SHOP = { name: "shop", p99Ms: 500, concurrent: 4 };

function lookUp(parameters: ToolDefinition["parameters"], source = "orders"): ToolDefinition {
  return {
    name: "look_up",
    version: "1",
    description: "Looks up.",
    parameters,
    kind: "read",
    risk: { tier: "low" },
    idempotency: { mode: "none" },
    timeoutMs: 1000,
    source,
  };
}

describe("the protection of a tool", () => {
  it("is part of its definition, and no model sees it", () => {
    const definition = lookUp(withProtection(PARAMETERS, { dependencies: [SHOP], limits: { callsPerMinute: 60 } }));
    expect(protectionOf(definition)).toEqual({ dependencies: [SHOP], limits: { callsPerMinute: 60 } });
    expect(definitionFault(definition)).toBeNull();
    expect(publicTool(definition).parameters).toEqual(PARAMETERS);
  });

  it("does not change the parameters of a tool that declares none, so its hash and its pin stay valid", () => {
    expect(withProtection(PARAMETERS, {})).toBe(PARAMETERS);
    expect(protectionOf(lookUp(PARAMETERS))).toEqual({});
  });

  it.each([
    ["a bad name", { dependencies: [{ name: "The Shop" }] }],
    ["an unknown field", { dependencies: [{ name: "shop", retries: 3 }] }],
    ["a budget of no time", { dependencies: [{ name: "shop", p99Ms: 0 }] }],
    ["a dependency that is named twice", { dependencies: [SHOP, { name: "shop" }] }],
    ["a limit of no calls", { limits: { callsPerMinute: 0 } }],
    ["arguments above the limit of all tools", { limits: { argumentBytes: 65_537 } }],
  ])("with %s is faulty, and a reader takes it for none", (_, declared) => {
    const definition = lookUp({ ...PARAMETERS, "x-toolbus": declared });
    expect(protectionFault(definition)).not.toBeNull();
    expect(protectionOf(definition)).toEqual({});
  });

  it("of a tool of an MCP server is the server, whatever the server's definition says", () => {
    const definition = lookUp({ ...PARAMETERS, "x-toolbus": { dependencies: [SHOP], limits: { callsPerMinute: 1 } } }, "mcp:files");
    expect(protectionOf(definition)).toEqual({ dependencies: [{ name: "mcp:files" }] });
  });
});

describe("arguments", () => {
  it("are measured in bytes, not in characters", () => {
    expect(argumentsTooLarge('"é"', 4)).toBeNull();
    expect(argumentsTooLarge('"éé"', 4)).toEqual({ path: "", message: "have 6 bytes, and at most 4 are allowed" });
  });
});
