import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { reportForms } from "./report-forms.ts";
import { toolset } from "../tool/toolset.ts";

function reported(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  const parameters = { type: "object", properties, required, additionalProperties: false };
  const look = defineTool({
    name: "look_up",
    kind: "read",
    description: "Looks.",
    parameters: JSON.parse(JSON.stringify(parameters)),
    run: () => 1,
  });
  const lines: { level: string; fields: object; text: string }[] = [];
  const say = (level: string) => (fields: object, text: string) => void lines.push({ level, fields, text });
  reportForms(toolset({ name: "orders", tools: [look] }), { ...silentLog, warn: say("warn"), debug: say("debug") });
  return lines;
}

describe("a worker's report on its tools' forms", () => {
  it("is empty if every provider accepts everything", () => {
    expect(reported({ order: { type: "string" } })).toEqual([]);
  });

  it("is a warning for each provider that cannot express a tool, with the place and what to do", () => {
    const warnings = reported({ count: { type: "integer", minimum: 9, maximum: 3 } }, ["count"]).filter(({ level }) => level === "warn");
    expect(warnings).toHaveLength(7);
    expect(warnings[0]).toEqual({
      level: "warn",
      fields: { tool: "look_up", version: "1", toolset: "orders", source: "orders", provider: "anthropic", pointer: "/properties/count" },
      text: 'The tool "look_up" is set aside for anthropic, which has no form for its parameters at /properties/count. The bounds contradict each other, so no value is valid; correct one of them.',
    });
  });

  it("is a debug line with what is lost", () => {
    const lines = reported({ order: { type: "string", format: "uri" } });
    expect(lines.map(({ level, fields }) => [level, (fields as { provider: string }).provider])).toEqual(
      ["openai", "openrouter", "ollama", "compatible", "bedrock"].map((provider) => ["debug", provider]),
    );
    expect(lines[0]?.fields).toMatchObject({ losses: [{ pointer: "/properties/order/format", what: '"format": uri is not passed on.' }] });
  });
});
