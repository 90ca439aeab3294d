import { describe, expect, it } from "vitest";
import { readPubAck } from "./pub-ack.ts";

const SUBJECT = "toolbus.work.orders";

describe("a confirmation", () => {
  it.each([
    ["of a stream", '{"stream":"TOOLBUS_WORK","seq":1}'],
    ["of a duplicate", '{"stream":"TOOLBUS_WORK","seq":1,"duplicate":true}'],
  ])("%s means that the message is stored", (_, body) => {
    expect(readPubAck(0, body, SUBJECT)).toEqual({ kind: "stored" });
  });

  it("of a server that knows nobody who would take it means that there is no stream", () => {
    expect(readPubAck(503, "", SUBJECT)).toEqual({ kind: "no-stream" });
  });

  it.each([
    [0, "", "A message to toolbus.work.orders got an empty confirmation."],
    [0, "+OK", "A message to toolbus.work.orders got a confirmation that is no JSON."],
    [0, "null", "A message to toolbus.work.orders got a confirmation that is no object."],
    [0, "{}", "A message to toolbus.work.orders got a confirmation without a stream."],
    [0, '{"stream":""}', "A message to toolbus.work.orders got a confirmation without a stream."],
    [0, '{"error":null}', "The stream of toolbus.work.orders refused a message: it does not say why."],
    [0, '{"error":{"description":7}}', "The stream of toolbus.work.orders refused a message: it does not say why."],
    [
      0,
      '{"error":{"description":"message size exceeds maximum allowed"}}',
      "The stream of toolbus.work.orders refused a message: message size exceeds maximum allowed.",
    ],
    [
      0,
      '{"error":{"description":"maximum bytes exceeded"},"stream":"TOOLBUS_WORK","seq":0}',
      "The stream of toolbus.work.orders is full: its consumers are behind, or its max-bytes are too few.",
    ],
  ])("with code %d and %j leaves it unknown, and says why", (code, body, reason) => {
    expect(readPubAck(code, body, SUBJECT)).toEqual({ kind: "unknown", reason });
  });
});
