import { describe, expect, it } from "vitest";
import { readPubAck } from "./pub-ack.ts";

const SUBJECT = "toolbus.work.orders";

describe("a confirmation", () => {
  it("of a stream means that the message is stored", () => {
    expect(readPubAck(0, '{"stream":"TOOLBUS_WORK","seq":1}', SUBJECT)).toEqual({ kind: "stored" });
  });

  it("of a duplicate means that it is stored since before", () => {
    expect(readPubAck(0, '{"stream":"TOOLBUS_WORK","seq":1,"duplicate":true}', SUBJECT)).toEqual({ kind: "stored", again: true });
  });

  it.each([
    ["stream", 10077, "maximum bytes exceeded", "is full: its consumers are behind, or its max-bytes are too few"],
    ["stream", 10077, "maximum messages exceeded", "is full: its consumers are behind, or its max-bytes are too few"],
    ["account", 10002, "resource limits exceeded for account", "accepts no message: its account has used up its storage"],
    ["server", 10023, "insufficient resources", "accepts no message: JetStream has no room left on the server"],
    ["server", 10047, "insufficient storage resources available", "accepts no message: JetStream has no room left on the server"],
    ["server", 10077, "write 1.blk: no space left on device", "accepts no message: JetStream has no room left on the server"],
  ])("says that the %s is full with code %d and %j", (what, code, description, why) => {
    const body = JSON.stringify({ error: { code: 503, err_code: code, description }, stream: "TOOLBUS_WORK", seq: 0 });
    expect(readPubAck(0, body, SUBJECT)).toEqual({ kind: "full", what, reason: `The stream of toolbus.work.orders ${why}.` });
  });

  it("of a server without responders means that there is no stream", () => {
    expect(readPubAck(503, "", SUBJECT)).toEqual({ kind: "no-stream" });
  });

  it.each([
    [0, "", "A message to toolbus.work.orders got an empty confirmation."],
    [0, "+OK", "A message to toolbus.work.orders got a confirmation that is not JSON."],
    [0, "null", "A message to toolbus.work.orders got a confirmation that is not an object."],
    [0, "{}", "A message to toolbus.work.orders got a confirmation without a stream."],
    [0, '{"stream":""}', "A message to toolbus.work.orders got a confirmation without a stream."],
    [0, '{"error":null}', "The stream of toolbus.work.orders refused a message: it does not say why."],
    [0, '{"error":{"description":7}}', "The stream of toolbus.work.orders refused a message: it does not say why."],
    [
      0,
      '{"error":{"description":"message size exceeds maximum allowed"}}',
      "The stream of toolbus.work.orders refused a message: message size exceeds maximum allowed.",
    ],
  ])("with code %d and %j leaves it unknown, and says why", (code, body, reason) => {
    expect(readPubAck(code, body, SUBJECT)).toEqual({ kind: "unknown", reason });
  });
});
