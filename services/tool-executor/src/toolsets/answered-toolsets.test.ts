import { silentLog } from "@toolbus/telemetry";
import { nobodyToAsk, type ToolProblem } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { type Answer, type AnsweredCall, answeredToolsets } from "./answered-toolsets.ts";
import { releaseToolset } from "./release/release-toolset.ts";

function answered(answer: Answer = { kind: "result", result: "yes" }, told: Partial<Parameters<typeof answeredToolsets>[0]> = {}) {
  const calls: AnsweredCall[] = [];
  const toolsets = answeredToolsets({
    shipped: ["release"],
    definitions: [],
    descriptions: {},
    answer: async (call) => (calls.push(call), answer),
    ...told,
  });
  return { toolsets, calls };
}

const signal = new AbortController().signal;
const base = { signal, log: silentLog, progress: () => undefined, modelUsed: () => undefined, attach: () => null, ask: nobodyToAsk };
const weather = {
  name: "get_weather",
  description:
    'Gets the weather of one city.\nInput: city, for example "Oslo".\nOutput: a JSON object with degrees.\nDo not use it for forecasts.',
  parameters: {
    type: "object",
    properties: { city: { type: "string", minLength: 1, maxLength: 80, description: "Name of the city" } },
    required: ["city"],
    additionalProperties: false,
  },
};

describe("answered toolsets", () => {
  it("have exactly the definitions of the tools that ship, so that a pin of one fits the other", () => {
    const real = releaseToolset({ url: "http://127.0.0.1:9" });
    expect(
      answered()
        .toolsets.flatMap((one) => one.list())
        .map(({ hash }) => hash),
    ).toEqual(real.list().map(({ hash }) => hash));
  });

  it("answer reads and writes with the id of their call", async () => {
    const { toolsets, calls } = answered();
    const read = toolsets[0]?.find("get_release_summary")?.tool;
    const write = toolsets[0]?.find("file_risk_report")?.tool;
    if (read?.kind !== "read" || write?.kind !== "write") throw new Error("The tools have other kinds.");
    expect(await read.run({ release_id: "v1" }, { ...base, callId: "a", sessionId: "s" })).toBe("yes");
    const prepared = await write.prepare({ release_id: "v1" }, { ...base, callId: "b", sessionId: "s" });
    expect(await write.run(prepared as never, { ...base, idempotencyKey: "b" })).toBe("yes");
    expect(calls.map(({ tool, callId, arguments: args }) => ({ tool, callId, args }))).toEqual([
      { tool: "get_release_summary", callId: "a", args: { release_id: "v1" } },
      { tool: "file_risk_report", callId: "b", args: { release_id: "v1" } },
    ]);
    expect(write.resource).toBeUndefined();
  });

  it.each([
    ["not_recorded", "not_recorded"],
    // Only Toolbus itself says that a call had no worker.
    ["no_worker", "execution_failed"],
  ])("give the error %s as %s, and say that nothing happened", async (code, given) => {
    const tool = answered({ kind: "error", code, message: "Not there." }).toolsets[0]?.find("get_release_summary")?.tool;
    if (tool?.kind !== "read") throw new Error("The tool has another kind.");
    const problem = (await tool.run({}, { ...base, callId: "a", sessionId: "s" })) as ToolProblem;
    expect(problem).toMatchObject({ code: given, options: { effect: "none", dependency: null } });
  });

  it("have further tools, other descriptions, and one tool of each name", () => {
    const { toolsets } = answered(undefined, {
      definitions: [weather, { ...weather, name: "get_release_summary" }],
      descriptions: { get_weather: `${weather.description} Celsius.` },
    });
    expect(toolsets.map((one) => [one.name, one.list().map(({ definition }) => definition.name)])).toEqual([
      ["release", ["get_test_details", "get_code_changes", "get_past_releases", "get_traces", "file_risk_report"]],
      ["suite", ["get_weather", "get_release_summary"]],
    ]);
    expect(toolsets[1]?.find("get_weather")?.definition.description).toMatch(/Celsius\.$/);
  });

  it("refuse a definition that cannot work", () => {
    expect(() => answered(undefined, { definitions: [{ name: "Bad Name" }] })).toThrow(TypeError);
    expect(() => answered(undefined, { definitions: [{ ...weather, kind: "write", effect: "Do it." }] })).toThrow(/idempotency/);
  });
});
