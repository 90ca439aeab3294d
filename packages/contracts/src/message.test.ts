import { describe, expect, it } from "vitest";
import { message, type MessageParts } from "./message.ts";

const LIMIT = 262_144;

const parts = (change: Partial<MessageParts> = {}): MessageParts => ({
  id: "m1",
  topic: "run.wake",
  type: "toolbus.run.wake",
  source: "gateway",
  now: 0,
  body: { runId: "r" },
  ...change,
});

describe("a message", () => {
  it("carries its body as JSON text and its time as RFC 3339", () => {
    expect(message(parts())).toEqual({
      id: "m1",
      topic: "run.wake",
      type: "toolbus.run.wake",
      source: "gateway",
      time: "1970-01-01T00:00:00.000Z",
      attributes: {},
      body: '{"runId":"r"}',
    });
  });

  it("has its attributes as text, without those that are undefined", () => {
    const { attributes } = message(
      parts({ attributes: { "toolbus-dispatch": 0, "toolbus-grant": undefined, "toolbus-agent": "", traceparent: "00-a" } }),
    );
    expect(attributes).toEqual({ "toolbus-dispatch": "0", "toolbus-agent": "", traceparent: "00-a" });
  });

  it("has no correlation and no reply topic if none was given", () => {
    const made = message(parts({ correlationId: undefined, replyTo: undefined }));
    expect(made).not.toHaveProperty("correlationId");
    expect(made).not.toHaveProperty("replyTo");
  });

  it("may have a body of 256 KiB", () => {
    expect(message(parts({ body: "a".repeat(LIMIT - 2) })).body).toHaveLength(LIMIT);
  });

  it.each([
    ["a byte over 256 KiB", "a".repeat(LIMIT - 1)],
    ["over it in bytes, not in characters", "€".repeat(LIMIT / 3)],
    ["over it by its escapes", "\n".repeat(LIMIT / 2)],
  ])("is refused with a body %s, and says what to do instead", (_, body) => {
    expect(() => message(parts({ body }))).toThrow(
      new RangeError("The body of m1 for run.wake is over 262144 bytes; store it as a blob and send its hash."),
    );
  });
});
