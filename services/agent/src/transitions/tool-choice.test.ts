import type { ToolChoice } from "@toolbus/contracts";
import { type ModelProvider, type ModelRequest, NetworkError, offlineModel } from "@toolbus/models";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { advanceRun } from "../steps/advance.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { bundle, profile, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { toolChoiceOf } from "./tool-choice.ts";

describe("the tool choice of a turn", () => {
  it.each<[ToolChoice, number, readonly string[], ToolChoice]>([
    ["auto", 0, ["look"], "auto"],
    ["none", 3, ["look"], "none"],
    ["required", 0, ["look"], "required"],
    ["required", 1, ["look"], "auto"],
    ["required", 0, [], "none"],
    ["auto", 1, [], "none"],
    ["tool:look", 0, ["look"], "tool:look"],
    ["tool:look", 1, ["look"], "auto"],
    ["tool:look", 0, ["change"], "auto"],
  ])("with the profile's %s, after %i model calls and with the tools %j is %s", async (toolChoice, modelCalls, tools, choice) => {
    const b = bundle();
    await b.start();
    const run = (await b.snapshot()).run.value;
    const asked = { ...run, usage: { ...run.usage, modelCalls } };
    expect(toolChoiceOf({ ...profile, toolChoice }, asked, new Map(tools.map((name) => [name, null])))).toBe(choice);
  });
});

describe("a run's first model call", () => {
  it("gets the effective tool choice, and the log says once which model, how many tools, what choice and which seeds were left out", async () => {
    const requests: ModelRequest[] = [];
    const model: ModelProvider = {
      ...offlineModel(),
      complete: async (request, context) => {
        requests.push(request);
        if (requests.length === 1) throw new NetworkError("The connection broke.");
        return offlineModel().complete(request, context);
      },
    };
    const seedCalls = [{ tool: "fly", argumentsFromInput: {} }];
    await using s = await readerUnderTest([], model, { toolChoice: "tool:look", seedCalls });
    const lines: (readonly [object, string])[] = [];
    const keep = (fields: object, message: string) => void lines.push([fields, message]);
    const reader = { ...s.reader, log: { ...silentLog, debug: keep, info: keep } };
    await takeEntry(reader, RUN, RUN);
    for (const by of ["m1", "m2"]) {
      await advanceRun(reader, RUN, { by, redelivered: false }, AbortSignal.timeout(20_000));
      s.b.advance(60_000);
    }
    expect(requests.map(({ toolChoice, tools }) => [toolChoice, tools.length])).toEqual([
      ["tool:look", 2],
      ["tool:look", 2],
    ]);
    expect(lines.filter(([, message]) => /model and tools|seed call/.test(message))).toEqual([
      [
        { runId: RUN, profile: "test", provider: "offline", model: "rules-1", tools: 2, toolChoice: "tool:look" },
        "the run's model and tools",
      ],
      [{ runId: RUN, profile: "test", tool: "fly", why: "the run has no such tool" }, "a seed call was left out"],
    ]);
  });
});
