import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { eventFrame } from "./event-frame.ts";

describe("a frame of Amazon's event stream", () => {
  it("has its lengths, a checksum over the lengths and one over everything", () => {
    const frame = eventFrame({ ":event-type": "x", ":message-type": "event" }, { text: "ü" });
    const headersLength = frame.readUInt32BE(4);
    expect(frame.readUInt32BE(0)).toBe(frame.length);
    expect(frame.readUInt32BE(8)).toBe(crc32(frame.subarray(0, 8)));
    expect(frame.readUInt32BE(frame.length - 4)).toBe(crc32(frame.subarray(0, frame.length - 4)));
    expect(frame.subarray(12, 12 + headersLength).toString("latin1")).toBe(
      "\u000b:event-type\u0007\u0000\u0001x\r:message-type\u0007\u0000\u0005event",
    );
    expect(frame.subarray(12 + headersLength, -4).toString()).toBe('{"text":"ü"}');
  });
});
