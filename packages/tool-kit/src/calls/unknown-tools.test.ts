import { NotPermitted } from "@toolbus/bus";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { bench } from "../testing/bench.ts";
import { toolset } from "../tool/toolset.ts";
import { ANSWERED_PER_MINUTE } from "./unknown-tools.ts";

const lookUp = defineTool({
  name: "look_up",
  kind: "read",
  description: "Looks up.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  run: () => "found",
});
const setup = () => bench(toolset({ name: "orders", tools: [lookUp] }));

describe("calls of tools that are registered nowhere", () => {
  it("are answered up to a limit per minute, the others are dropped, and a genuine call behind them is answered", async () => {
    const { process, invoke, clock } = setup();
    const worker = process();
    for (let n = 0; n < ANSWERED_PER_MINUTE + 50; n++)
      expect(await worker.deliver(await invoke(`unheard_of_${n}`, {}, { index: n % 32, version: "1" }))).toEqual({ kind: "ack" });
    expect(worker.answers).toHaveLength(ANSWERED_PER_MINUTE);
    await worker.deliver(await invoke("look_up", {}));
    expect(worker.read().at(-1)?.result).toMatchObject({ status: "ok" });
    clock.now += 60_000;
    await worker.context.unknownTools.stop();
    await worker.deliver(await invoke("unheard_of", {}));
    expect(worker.read().at(-1)?.result).toMatchObject({ error: { code: "tool_not_found" } });
  });
});

describe("a call with a reply topic to which the worker may not publish", () => {
  it("cannot be handled by any worker and is not retried", async () => {
    const { process, invoke } = setup();
    const worker = process({
      publish: async () => {
        throw new NotPermitted("This login may not publish there.");
      },
    });
    const call = await invoke("look_up", {}, { replyTo: "tool.result.nobody" });
    expect(await worker.deliver(call)).toEqual({ kind: "unusable", reason: "its reply topic is one to which this worker may not publish" });
  });
});
