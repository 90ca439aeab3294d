import { describe, expect, it } from "vitest";
import { longText, methodFrame, short, shortText, takeFrame, textsOf } from "./amqp-frames.ts";

describe("a frame of AMQP", () => {
  it("is read back as it was written", () => {
    const frame = methodFrame(1, "50.40", short(0), shortText("a.queue"), Buffer.from([0]));
    const taken = takeFrame(Buffer.concat([frame, Buffer.from("more")]));
    expect(taken).toEqual({
      used: frame.length,
      value: { channel: 1, id: "50.40", args: Buffer.from("\0\0\x07a.queue\0", "latin1") },
    });
  });

  it("is waited for while it is incomplete", () => {
    const frame = methodFrame(0, "10.51");
    for (let length = 0; length < frame.length; length += 1) expect(takeFrame(frame.subarray(0, length))).toBeNull();
  });

  it("is skipped if it is a heartbeat", () => {
    expect(takeFrame(Buffer.from([8, 0, 0, 0, 0, 0, 0, 0xce]))).toEqual({ used: 8, value: null });
  });

  it.each([
    ["of another version", "AMQP\0\x01\0\0", "it speaks another version of AMQP than 0-9-1"],
    ["of something else", "-ERR Unknown Protocol Operation\r\n", "it does not speak AMQP"],
    ["without its end", "\x01\0\0\0\0\0\x04\0\x0a\0\x33\0", "it does not speak AMQP"],
  ])("is refused: %s", (_, bytes, message) => {
    expect(() => takeFrame(Buffer.from(bytes, "latin1"))).toThrow(message);
  });

  it("contains a table, from which the texts are read", () => {
    const flag = Buffer.concat([shortText("basic.nack"), Buffer.from("t\x01", "latin1")]);
    const nested = Buffer.concat([shortText("capabilities"), Buffer.from("F"), longText(flag)]);
    const number = Buffer.concat([shortText("connections"), Buffer.from("I"), Buffer.from([0, 0, 0, 9])]);
    const version = Buffer.concat([shortText("version"), Buffer.from("S"), longText("3.10.8")]);
    const table = longText(Buffer.concat([nested, number, version]));
    expect([...textsOf(Buffer.concat([table, Buffer.from("PLAIN")]))]).toEqual([["version", "3.10.8"]]);
  });
});
