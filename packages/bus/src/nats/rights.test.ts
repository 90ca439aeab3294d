import { describe, expect, it } from "vitest";
import { natsRights, natsSetUpRights, natsStreams } from "./rights.ts";

describe("the rights of a user", () => {
  it("are to publish and to receive confirmations, and nothing else, for a publisher", () => {
    const duties = { publishes: ["tool.invoke.release"], consumes: [], announces: ["tool.cancel"], listens: ["tool.announce"] };
    expect(natsRights("toolbus", "agent", duties)).toEqual({
      publish: [
        "$JS.API.INFO",
        "toolbus.invoke.tool.invoke.release",
        "$JS.API.CONSUMER.INFO.TOOLBUS_INVOKE.toolbus_tool_invoke_release",
        "toolbus.broadcast.tool.cancel",
      ],
      subscribe: ["_INBOX_toolbus_agent.>", "toolbus.broadcast.tool.announce"],
    });
  });

  it("are to take from its own queue and to publish to that of its dead letters, for a consumer", () => {
    const duties = { publishes: [], consumes: ["tool.invoke.release"], announces: [], listens: [] };
    expect(natsRights("toolbus", "worker", duties).publish).toEqual([
      "$JS.API.INFO",
      "toolbus.dead.dead.tool.invoke.release",
      "$JS.API.CONSUMER.INFO.TOOLBUS_DEAD.toolbus_dead_tool_invoke_release",
      "$JS.API.STREAM.INFO.TOOLBUS_INVOKE",
      "$JS.API.CONSUMER.INFO.TOOLBUS_INVOKE.toolbus_tool_invoke_release",
      "$JS.API.STREAM.INFO.TOOLBUS_DEAD",
      "$JS.API.CONSUMER.MSG.NEXT.TOOLBUS_INVOKE.toolbus_tool_invoke_release",
      "$JS.ACK.TOOLBUS_INVOKE.toolbus_tool_invoke_release.>",
    ]);
  });

  it("are to make streams and consumers and to use none, for the setup login", () => {
    const { publish, subscribe } = natsSetUpRights({ namespace: "toolbus", scratch: "toolbus-check" }, "setup");
    expect(publish.filter((subject) => !subject.startsWith("$JS.API."))).toEqual([]);
    expect(publish.filter((subject) => /MSG|PURGE/.test(subject))).toEqual([]);
    expect(publish.filter((subject) => subject.includes("DELETE")).every((subject) => subject.includes("TOOLBUS-CHECK_"))).toBe(true);
    expect(subscribe).toEqual(["_INBOX_toolbus_setup.>", "_INBOX_toolbus-check_setup.>"]);
  });

  it("are refused for an invalid topic", () => {
    expect(() => natsRights("toolbus", "agent", { publishes: ["tool.*"], consumes: [], announces: [], listens: [] })).toThrow(RangeError);
  });
});

describe("the streams of a namespace", () => {
  it("are one for each kind of queue", () => {
    expect(natsStreams("toolbus", { replicas: 3, maxBytes: 1_048_576 }).map(({ name }) => name)).toEqual([
      "TOOLBUS_INVOKE",
      "TOOLBUS_REPLY",
      "TOOLBUS_APPROVAL",
      "TOOLBUS_WORK",
      "TOOLBUS_DEAD",
    ]);
  });
});
