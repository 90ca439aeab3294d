import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventReader } from "./event-reader.ts";

function read(pieces: readonly string[]): readonly string[] {
  const found: string[] = [];
  const reader = eventReader((data) => void found.push(data));
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return found;
}

describe("a stream of events", () => {
  it.each([
    ["data: a\n\ndata: b\n\n", ["a", "b"]],
    ["data:a\r\n\r\ndata:  b\r\n\r\n", ["a", " b"]],
    ["data: a\ndata: b\n\n", ["a\nb"]],
    [": comment\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", ["a"]],
    ["data\n\nevent: empty\n\n", []],
    ["data:\n\n", [""]],
    ["data: a", ["a"]],
    ["data: a\n", ["a"]],
    ["", []],
  ])("%j holds %j", (text, data) => {
    expect(read([text])).toEqual(data);
  });

  it("reports which event was still open at the end of the stream", () => {
    const found: [string, boolean][] = [];
    const reader = eventReader((data, open) => void found.push([data, open]));
    reader.push("data: a\n\ndata: b\n");
    reader.end();
    expect(found).toEqual([
      ["a", false],
      ["b", true],
    ]);
  });

  it("is read the same however it is split", () => {
    const line = fc.oneof(
      fc.constantFrom("", "", ": x", "event: y"),
      fc.string({ maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
    );
    const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n")), { maxLength: 20 }).map((lines) => lines.flat().join(""));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(40), { maxLength: 30 }), (text, cuts) => {
        const pieces: string[] = [];
        let from = 0;
        for (const size of cuts) {
          pieces.push(text.slice(from, from + size));
          from += size;
        }
        expect(read([...pieces, text.slice(from)])).toEqual(read([text]));
      }),
      { numRuns: 500 },
    );
  });
});
