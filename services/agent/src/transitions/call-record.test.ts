import { failedResult, keys } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { asks, bundle, RUN } from "../testing/test-bundle.ts";

describe("what is kept of a call", () => {
  it("is its id, name, arguments and time, and its result with the record of how it was run", async () => {
    const b = bundle();
    await b.start();
    b.advance(1000);
    await b.turn([asks("look", "a", { n: 1 })]);
    const { now: createdAt } = await b.snapshot();
    const asked = { callId: `${RUN}.1.0`, toolName: "look", arguments: '{"n":1}', createdAt };
    expect(await b.call(0)).toMatchObject(asked);
    b.advance(500);
    const metadata = {
      tool: "look",
      agent: "default",
      startedAt: createdAt,
      endedAt: createdAt + 400,
      latencyMs: 400,
      ok: false,
      attempt: 1,
    };
    const failed = { ...failedResult("execution_failed", "It broke."), metadata: { ...metadata, errorClass: "ToolTerminalError" } };
    await b.answer(0, failed);
    const { documents } = await b.state.read([keys.call(asked.callId)]);
    expect(documents[0]?.value).toMatchObject({ ...asked, state: "resolved", resolvedAt: createdAt + 500, result: failed });
  });
});
