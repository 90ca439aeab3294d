import { describe, expect, it } from "vitest";
import { lookup, requestOf, resultEntry, seedTurn, userEntry } from "../conformance/requests.ts";
import type { ModelRequest } from "../model-provider.ts";
import { compileTool } from "../schema/compile-tool.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import { converseRequest } from "./request.ts";

const facts = { contextTokens: 200_000, maxOutputTokens: 8192, vision: true, sampling: true, resultChars: 64_000, price: null };

function inputOf(more: Partial<ModelRequest>, sampling = true) {
  const request = requestOf([userEntry("Look.")], more);
  const settings = { model: "m", apiKey: null, baseUrl: null, facts: { ...facts, sampling } };
  return converseRequest(request, wireTools(request.tools, "bedrock"), settings).input;
}

describe("a request to Bedrock", () => {
  it("has a temperature only if the model accepts one", () => {
    expect(inputOf({ temperature: 0.7 }).inferenceConfig).toEqual({ maxTokens: 1024, temperature: 0.7 });
    expect(inputOf({ temperature: 0.7 }, false).inferenceConfig).toEqual({ maxTokens: 1024 });
    expect(inputOf({}).inferenceConfig).toEqual({ maxTokens: 1024 });
  });

  it("sends exactly the compiler's form of a tool", () => {
    const compiled = compileTool(lookup, "bedrock");
    if (!compiled.ok) throw new Error(compiled.reason);
    const { name, description, parameters, strict } = compiled;
    expect(inputOf({ tools: [lookup] }).toolConfig?.tools).toEqual([
      { toolSpec: { name, description, inputSchema: { json: parameters }, ...(strict ? { strict } : {}) } },
    ]);
  });

  it("offers no tools if nothing may be called, unless the transcript contains calls", () => {
    expect(inputOf({ toolChoice: "none" })).not.toHaveProperty("toolConfig");
    expect(inputOf({ tools: [] })).not.toHaveProperty("toolConfig");
    const call = { id: "c1", name: lookup.name, arguments: "{}" };
    const transcript = [userEntry("Look."), seedTurn("", call), resultEntry("c1", lookup.name, "{}")];
    expect(inputOf({ transcript, toolChoice: "none" }).toolConfig?.tools).toHaveLength(2);
    expect(inputOf({ transcript, tools: [] }).toolConfig?.tools).toMatchObject([{ toolSpec: { name: lookup.name } }]);
  });

  it("leaves a blank system prompt out", () => {
    expect(inputOf({ system: "\n" })).not.toHaveProperty("system");
  });
});
