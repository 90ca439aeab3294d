import { describe, expect, it } from "vitest";
import { toolNamed } from "../conformance/requests.ts";
import { compileTool } from "../schema/compile-tool.ts";
import { wireTools } from "./wire-tools.ts";

describe("tools on the wire", () => {
  it("are exactly the compiler's output", () => {
    const spec = toolNamed("lookup_order");
    expect(wireTools([spec], "anthropic").offered).toEqual([compileTool(spec, "anthropic")]);
  });

  it("have unique names: of two that the vendor cannot distinguish the first is offered", () => {
    const tools = wireTools([toolNamed("lookup_order"), toolNamed("lookup_order"), toolNamed("restock_item")], "anthropic");
    expect(tools.names).toEqual(["lookup_order", "restock_item"]);
  });

  it("are the first ones up to the vendor's limit; those that cannot be sent do not count", () => {
    const names = Array.from({ length: 200 }, (_, n) => `tool_${n}`);
    const broken = { ...toolNamed("broken"), parameters: { type: "string" } };
    expect(compileTool(broken, "openai").ok).toBe(false);
    expect(wireTools([broken, ...names.map(toolNamed)], "openai").names).toEqual(names.slice(0, 128));
    expect(wireTools(names.map(toolNamed), "any").names).toEqual(names);
  });

  it("have names that map back, and a name that was not offered stays", () => {
    const tools = wireTools([toolNamed("orders.look/up")], "anthropic");
    const wireName = tools.wireName("orders.look/up");
    expect(wireName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(tools.restored(wireName, '{"id":"7"}')).toEqual({ name: "orders.look/up", arguments: '{"id":"7"}' });
    expect(tools.restored("made_up", '{"id":')).toEqual({ name: "made_up", arguments: '{"id":' });
  });

  it("keep the same vendor name when they are no longer offered", () => {
    const offered = wireTools([toolNamed("orders.look/up")], "anthropic").wireName("orders.look/up");
    expect(wireTools([], "anthropic").wireName("orders.look/up")).toBe(offered);
    expect(wireTools([], "bedrock").wireName("x".repeat(200))).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});
