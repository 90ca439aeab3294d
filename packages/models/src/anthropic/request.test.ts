import { describe, expect, it } from "vitest";
import { lookup, requestOf, resultEntry, seedTurn, toolNamed, userEntry } from "../conformance/requests.ts";
import type { ModelRequest } from "../model-provider.ts";
import { compileTool } from "../schema/compile-tool.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import { messageRequest } from "./request.ts";

const facts = { contextTokens: 200_000, maxOutputTokens: 8192, vision: true, sampling: false, resultChars: 64_000, price: null };

function paramsOf(more: Partial<ModelRequest>) {
  const request = requestOf([userEntry("Look.")], more);
  const settings = { model: "claude-sonnet-5-5", apiKey: "k", baseUrl: null, facts };
  return messageRequest(request, wireTools(request.tools, "anthropic"), settings).params;
}

describe("a request to Anthropic", () => {
  it("has no temperature, whatever is requested", () => {
    expect(paramsOf({ temperature: 0.7 })).not.toHaveProperty("temperature");
  });

  it("asks for at most the model's longest reply, and for at least one token", () => {
    expect(paramsOf({ maxTokens: 1_000_000 }).max_tokens).toBe(8192);
    expect(paramsOf({ maxTokens: 0 }).max_tokens).toBe(1);
  });

  it("leaves a blank system prompt out, and marks any other for the cache, together with the tools before it", () => {
    expect(paramsOf({ system: " \n" })).not.toHaveProperty("system");
    expect(paramsOf({ system: "Be kind." }).system).toEqual([{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }]);
  });

  it("sends exactly the compiler's form of a tool", () => {
    const spec = toolNamed("orders.lookup");
    const compiled = compileTool(spec, "anthropic");
    if (!compiled.ok) throw new Error(compiled.reason);
    const { name, description, parameters, strict } = compiled;
    expect(paramsOf({ tools: [spec] }).tools).toEqual([{ name, description, input_schema: parameters, ...(strict ? { strict } : {}) }]);
  });

  it("does not mention tools if there are none", () => {
    const params = paramsOf({ tools: [] });
    expect(params).not.toHaveProperty("tools");
    expect(params).not.toHaveProperty("tool_choice");
  });

  it("defines the called tools if nothing is offered any more, and allows no calls", () => {
    const calls = ["a.b", lookup.name, "a.b"].map((name, n) => ({ id: `c${n}`, name, arguments: "{}" }));
    const transcript = [seedTurn("", ...calls), ...calls.map(({ id, name }) => resultEntry(id, name, "{}"))];
    const params = paramsOf({ transcript, tools: [] });
    expect(params.tools).toMatchObject([{ name: expect.stringMatching(/^a_b/) as string }, { name: lookup.name }]);
    expect(params.tool_choice).toEqual({ type: "none" });
  });

  it("limits every choice except none to one call", () => {
    for (const toolChoice of ["auto", "required", `tool:${lookup.name}`] as const)
      expect(paramsOf({ toolChoice, parallelCalls: false }).tool_choice).toMatchObject({ disable_parallel_tool_use: true });
    expect(paramsOf({ toolChoice: "none", parallelCalls: false }).tool_choice).toEqual({ type: "none" });
  });
});
