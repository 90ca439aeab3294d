import { type Message, message, parser, ToolCancel } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { record } from "./conformance/probe.ts";
import { listenTo } from "./listen-pipeline.ts";
import { memoryBus } from "./memory/memory-bus.ts";

const parseCancel = parser(ToolCancel);
const CALL = "rn_00_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.0";

async function setup(listener?: (message: Message, body: ToolCancel) => void | Promise<void>) {
  const bus = memoryBus();
  const heard = record<string>({ patienceMs: 5000 });
  const lines = record<string>({ patienceMs: 5000 });
  const keep = (fields: object, words: string) => lines.add(`${words} ${JSON.stringify(fields)}`);
  const subscription = await listenTo(bus, {
    topic: "tool.cancel",
    types: ["toolbus.tool.cancel"],
    parse: parseCancel,
    listener: listener ?? (({ id }) => heard.add(id)),
    log: { warn: keep, error: keep },
  });
  const announce = (id: string, parts: Partial<Message> = {}) =>
    bus.announce({
      ...message({ id, topic: "tool.cancel", type: "toolbus.tool.cancel", source: "test", now: 0, body: { toolCallId: CALL } }),
      ...parts,
    });
  return { heard, lines, subscription, announce, [Symbol.asyncDispose]: () => bus.close() };
}

describe("listening", () => {
  it("hears readable announcements and drops the others with a line in the log", async () => {
    await using s = await setup();
    await s.announce("no json", { body: "{" });
    await s.announce("other type", { type: "toolbus.other" });
    await s.announce("unknown field", { body: JSON.stringify({ toolCallId: CALL, force: true }) });
    await s.announce("good");
    await s.heard.until("the good one is heard", (ids) => ids.includes("good"));
    expect(s.heard.items).toEqual(["good"]);
    expect(s.lines.items).toEqual([
      expect.stringContaining("the body is not JSON"),
      expect.stringContaining("the type is not one of toolbus.tool.cancel"),
      expect.stringContaining("/force is not a known field"),
    ]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("The key is sesame.");
      },
    ],
    ["rejects", () => Promise.reject(new Error("The key is sesame."))],
  ])("continues after a listener that %s, and logs nothing of its error's text", async (_, fail) => {
    await using s = await setup(fail);
    await s.announce("first");
    await s.announce("second");
    const lines = await s.lines.until("both failures are logged", ({ length }) => length === 2);
    expect(lines.join()).not.toContain("sesame");
  });

  it("ends with its subscription", async () => {
    await using s = await setup();
    await s.subscription.stop();
    await using other = await setup();
    await s.announce("after");
    await other.announce("elsewhere");
    await other.heard.until("the other bus is heard", ({ length }) => length === 1);
    expect(s.heard.items).toEqual([]);
  });
});
