import { describe, expect, it } from "vitest";
import { toolNamed } from "../conformance/requests.ts";
import { compileTool } from "../schema/compile-tool.ts";
import { wireTools } from "./wire-tools.ts";

describe("tools on the wire", () => {
  it("are exactly what the compiler makes of them", () => {
    const spec = toolNamed("lookup_order");
    expect(wireTools([spec], "anthropic").offered).toEqual([compileTool(spec, "anthropic")]);
  });

  it("have a name each: of two that the vendor cannot tell apart the first is offered", () => {
    const tools = wireTools([toolNamed("lookup_order"), toolNamed("lookup_order"), toolNamed("restock_item")], "anthropic");
    expect(tools.names).toEqual(["lookup_order", "restock_item"]);
  });

  it("are as many as the vendor takes, the first ones; what cannot be sent takes no place", () => {
    const names = Array.from({ length: 200 }, (_, n) => `tool_${n}`);
    const broken = { ...toolNamed("broken"), parameters: { type: "string" } };
    expect(compileTool(broken, "openai").ok).toBe(false);
    expect(wireTools([broken, ...names.map(toolNamed)], "openai").names).toEqual(names.slice(0, 128));
    expect(wireTools(names.map(toolNamed), "any").names).toEqual(names);
  });

  it("have names that lead back, and a name that nobody offered stays", () => {
    const tools = wireTools([toolNamed("orders.look/up")], "anthropic");
    const wireName = tools.wireName("orders.look/up");
    expect(wireName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(tools.restored(wireName, '{"id":"7"}')).toEqual({ name: "orders.look/up", arguments: '{"id":"7"}' });
    expect(tools.restored("made_up", '{"id":')).toEqual({ name: "made_up", arguments: '{"id":' });
  });

  it("have a name that the vendor takes when they are not offered any more, the same as when they were", () => {
    const offered = wireTools([toolNamed("orders.look/up")], "anthropic").wireName("orders.look/up");
    expect(wireTools([], "anthropic").wireName("orders.look/up")).toBe(offered);
    expect(wireTools([], "bedrock").wireName("x".repeat(200))).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});
