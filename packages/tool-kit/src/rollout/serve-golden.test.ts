import { describe, expect, it } from "vitest";
import { serveToolset } from "../serve-toolset.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolError } from "../tool/tool-problem.ts";
import { toolset } from "../tool/toolset.ts";

/** A toolset whose only tool fails this number of times. */
function setup(failures: number) {
  let calls = 0;
  const ping = defineTool({
    name: "ping",
    kind: "read",
    description: "Asks the target whether it is there. Gives true. Not for anything else.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run: () => (++calls <= failures ? toolError("unavailable", "It is away.") : true),
  });
  const served = toolset({ name: "pings", tools: [ping], examples: () => ({ ping: {} }) });
  return {
    calls: () => calls,
    serve: (signal?: AbortSignal) =>
      serveToolset(served, {
        busUrl: "memory:",
        stateUrl: "memory:",
        jwksFile: "none.json",
        logLevel: "silent",
        goldenCalls: "required",
        ...(signal ? { signal } : {}),
      }),
  };
}

describe("a worker in a process of its own, with required golden calls", () => {
  it("is served when they pass, however often they failed before", async () => {
    const { serve, calls } = setup(1);
    const worker = await serve();
    expect(calls()).toBe(2);
    await worker.renew();
    await worker.stop();
  });

  it("stops waiting for them when it is told to", async () => {
    const stopping = new AbortController();
    const served = setup(Number.POSITIVE_INFINITY).serve(stopping.signal);
    stopping.abort(new Error("Stop."));
    await expect(served).rejects.toThrow("Stop.");
  });
});
