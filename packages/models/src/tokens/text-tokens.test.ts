import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { mostTextTokens, textTokens } from "./text-tokens.ts";
import { loadTokenizer, tokenizer } from "./tokenizer.ts";

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc
    .array(fc.constantFrom("the ", "release", " ", "\n", '{"n":', "東京", "<|endoftext|>", "=".repeat(30), "    "), { maxLength: 80 })
    .map((parts) => parts.join("")),
);

describe("the tokens of a text", () => {
  beforeAll(loadTokenizer);

  it("are never fewer if text is added at its end", () => {
    const { count } = tokenizer();
    fc.assert(
      fc.property(texts, texts, (text, more) => {
        expect(textTokens(text + more, count)).toBeGreaterThanOrEqual(textTokens(text, count));
      }),
      { numRuns: 500 },
    );
  });

  it("are never fewer for a longer text of which only a part is counted", () => {
    const { count } = tokenizer();
    const text = Array.from({ length: 9000 }, (_, n) => (n % 7 === 0 ? "              " : `word ${n * 7919}, `)).join("");
    let before = 0;
    for (let length = 32_000; length < 90_000; length += 211) {
      const tokens = textTokens(text.slice(0, length), count);
      expect(tokens).toBeGreaterThanOrEqual(before);
      before = tokens;
    }
  });

  it("are never more than a number that needs no count", () => {
    const { count } = tokenizer();
    fc.assert(
      fc.property(texts, (text) => {
        expect(textTokens(text, count)).toBeLessThanOrEqual(mostTextTokens(text));
      }),
      { numRuns: 500 },
    );
    // Only the beginning of each later part is counted, and the rest is assumed to be like it.
    const dense = "\u{20bb7}".repeat(1024);
    const uneven = `${" ".repeat(32_768)}${`${dense}${"a ".repeat(7168)}`.repeat(4)}`;
    expect(textTokens(uneven, count)).toBeGreaterThan(Buffer.byteLength(uneven) / 2);
    expect(textTokens(uneven, count)).toBeLessThanOrEqual(mostTextTokens(uneven));
    const worst = (piece: string) => Buffer.byteLength(piece);
    expect(textTokens(uneven, worst)).toBeGreaterThan(Buffer.byteLength(uneven));
    expect(textTokens(uneven, worst)).toBeLessThanOrEqual(mostTextTokens(uneven));
  });

  it.each([
    ["prose", "The release was rolled back on Tuesday, because two of its services answered half of all requests with errors. ".repeat(60)],
    [
      "JSON",
      JSON.stringify(
        { orders: Array.from({ length: 60 }, (_, n) => ({ id: `A-${n * 7919}`, total: n * 1.25, paid: n % 2 === 0 })) },
        null,
        2,
      ),
    ],
    ["Chinese", "东京的天气今天很好，我们去公园散步吧。".repeat(60)],
    ["hexadecimal", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c".repeat(60)],
    ["a megabyte", "What changed between the two, and who has to know of it before Friday? ".repeat(14_000)],
  ])("differ from the tokenizer's count of %s by at most a tenth", (_, text) => {
    const { count } = tokenizer();
    const ratio = textTokens(text, count) / count(text);
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
  });

  it("take no more work for a huge text than for an eighth of it", () => {
    let counted = 0;
    const tokens = textTokens("word ".repeat(2_000_000), (piece) => {
      counted += piece.length;
      return piece.length / 5;
    });
    expect(counted).toBeLessThan(10_000_000 / 7);
    expect(tokens).toBeGreaterThan(1_900_000);
  });
});
