import { MsgHdrsImpl } from "@nats-io/transport-node";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHeaderBlock, writeHeaderBlock } from "./header-block.ts";

function block(text: string): ReturnType<typeof readHeaderBlock> {
  return readHeaderBlock(new TextEncoder().encode(text));
}

const name = fc.string({ unit: fc.constantFrom("a", "B", "-", "7", "~", "!", "%"), minLength: 1, maxLength: 8 });
const value = fc.string({ unit: fc.constantFrom("a", "B", ":", "%", "=", "7"), maxLength: 8 });

describe("the block before a body", () => {
  it.each([
    ["a server without responders", "NATS/1.0 503\r\n\r\n", { code: 503, description: "", headers: [] }],
    ["a heartbeat", "NATS/1.0 100 Idle Heartbeat\r\nA: 1\r\n\r\n", { code: 100, description: "Idle Heartbeat", headers: [["A", "1"]] }],
    [
      "headers",
      "NATS/1.0\r\nA: 1\r\nB:2\r\nC:  \r\nA: 3\r\n\r\n",
      {
        code: 0,
        description: "",
        headers: [
          ["A", "1"],
          ["B", "2"],
          ["C", ""],
          ["A", "3"],
        ],
      },
    ],
    ["nothing", "", { code: 0, description: "", headers: [] }],
    ["no headers", "NATS/1.0\r\n\r\n", { code: 0, description: "", headers: [] }],
    [
      "malformed lines",
      "NATS/1.0\r\nword\r\n: x\r\nA Name: two\nlines\r\n",
      {
        code: 0,
        description: "",
        headers: [
          ["", "x"],
          ["A Name", "two\nlines"],
        ],
      },
    ],
    ["text that is not ASCII", "NATS/1.0\r\nA: Zoë\r\n\r\n", { code: 0, description: "", headers: [["A", "Zoë"]] }],
    ["a status without a number", "NATS/1.0 word\r\n\r\n", { code: 0, description: "word", headers: [] }],
  ])("is read: %s", (_, text, read) => {
    expect(block(text)).toEqual(read);
  });

  it("is read and written as the client does it", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([its]) => its }), (headers) => {
        const bytes = writeHeaderBlock(headers);
        expect(readHeaderBlock(bytes).headers).toEqual(headers);
        expect([...MsgHdrsImpl.decode(bytes)].map(([its, [first]]) => [its, first])).toEqual(headers);
      }),
    );
  });

  it("never makes the reader throw", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readHeaderBlock(bytes)));
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom("\r", "\n", ":", "a", " ") }), (text) => void block(`NATS/1.0${text}`)));
  });
});
