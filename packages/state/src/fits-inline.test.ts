import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitsInline, INLINE_ENCODED_BYTES, INLINE_TEXT_BYTES } from "./held-text.ts";

/** The two limits as they are documented. */
const within = (text: string): boolean =>
  Buffer.byteLength(text) <= INLINE_TEXT_BYTES && Buffer.byteLength(JSON.stringify(text)) <= INLINE_ENCODED_BYTES;

describe("a text that is stored inside a document", () => {
  it.each([
    "\0",
    "\u0007",
    "\b",
    "\t",
    "\n",
    "\v",
    "\f",
    "\r",
    "\u000e",
    "\u001f",
    '"',
    "\\",
    "/",
    "a",
    "\u007f",
    "é",
    "€",
    "\ud800",
    "😀",
  ])("is within both limits, also if it is full of %j", (unit) => {
    for (const limit of [INLINE_TEXT_BYTES, INLINE_ENCODED_BYTES])
      for (const bytes of [1, 2, 3, 4, 6])
        for (const more of [-2, -1, 0, 1]) {
          const text = unit.repeat(Math.floor(limit / bytes) + more);
          expect(fitsInline(text)).toBe(within(text));
        }
  });

  it("is within both limits, whatever it is made of", () => {
    const part = fc.oneof(fc.string({ unit: "binary", maxLength: 4 }), fc.constantFrom("a", '"', "\0", "\n", "\ud800"));
    fc.assert(
      fc.property(fc.array(fc.tuple(part, fc.nat(20_000)), { maxLength: 4 }), (parts) => {
        const text = parts.map(([unit, count]) => unit.repeat(count)).join("");
        expect(fitsInline(text)).toBe(within(text));
      }),
      { numRuns: 200 },
    );
  });
});
