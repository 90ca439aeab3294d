import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPattern } from "./linear-pattern.ts";

const free = () => undefined;

/** Patterns in ECMAScript's syntax with every construct that an automaton supports. */
const { pattern: patterns } = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", "b", "A", "1", " ", "_", "-", "é", "🎉", "\n", ",", "!"),
    fc.constantFrom(
      ".",
      "^",
      "$",
      "\\b",
      "\\B",
      "\\d",
      "\\D",
      "\\w",
      "\\W",
      "\\s",
      "\\S",
      "\\.",
      "\\/",
      "\\n",
      "\\x61",
      "\\u0061",
      "\\u{1f389}",
    ),
    fc.constantFrom(
      "\\ud83c\\udf89",
      "\\p{L}",
      "\\P{Lu}",
      "\\p{Script=Greek}",
      "\\cJ",
      "\\0",
      "[ab]",
      "[^a]",
      "[]",
      "[^]",
      "[a-c1\\]]",
      "[\\d\\-_]",
      "[\\p{L}🎉]",
    ),
    tie("pattern").map((inner) => `(${inner})`),
    tie("pattern").map((inner) => `(?:${inner})`),
    tie("pattern").map((inner) => `(?<name>${inner.replaceAll("?<name>", "?:")})`),
  ),
  pattern: fc.oneof(
    { depthSize: "small" },
    fc
      .array(fc.tuple(tie("atom"), fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "{2,3}?", "*?")), { maxLength: 4 })
      .map((parts) => parts.map(([atom, times]) => (/^(\^|\$|\\b|\\B)$/.test(atom) ? atom : atom + times)).join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `${one}|${other.replaceAll("?<name>", "?:")}`),
  ),
}));
const texts = fc.string({
  unit: fc.constantFrom("a", "b", "A", "1", " ", "_", "-", "é", "🎉", "\n", ",", "!", "λ", "\ud83c"),
  maxLength: 8,
});

const LONG = process.env["LONG_PROOFS"] !== undefined;

describe("a pattern in linear time", () => {
  it("finds what ECMAScript's own engine finds", { timeout: 60_000 }, () => {
    let compared = 0;
    let hits = 0;
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 6, maxLength: 6 }), (pattern, given) => {
        let native: RegExp;
        try {
          native = new RegExp(pattern, "u");
        } catch {
          return;
        }
        const { test } = linearPattern(pattern, 10_000);
        for (const text of given) {
          const expected = native.test(text);
          compared++;
          if (expected) hits++;
          expect([pattern, text, test(text, free)]).toEqual([pattern, text, expected]);
        }
      }),
      { numRuns: LONG ? 3000 : 1000, seed: 20_261_122 },
    );
    expect(compared).toBeGreaterThan(LONG ? 10_000 : 3300);
    expect(hits).toBeGreaterThan(LONG ? 2500 : 830);
    expect(compared - hits).toBeGreaterThan(LONG ? 1500 : 500);
  });

  it("looks ahead after ^, as generators write it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$", "^(?=.*\\d)(?=.*[a-z]).{2,}$", "^(?!a|b)", "^(?=a)(?!ab)(a|b)+$"),
        fc.string({ unit: fc.constantFrom("a", "b", "1", "0", ".", "-", "+"), maxLength: 6 }),
        (pattern, text) => {
          expect([pattern, text, linearPattern(pattern, 100).test(text, free)]).toEqual([
            pattern,
            text,
            new RegExp(pattern, "u").test(text),
          ]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each(["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){12}$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "^(a*)*b$"])(
    "takes steps in proportion to the length of the text: %s",
    (pattern) => {
      const stepsFor = (length: number) => {
        let steps = 0;
        linearPattern(pattern, 10_000).test(`${"ax".includes(pattern[1] ?? "") ? "x" : "a"}`.repeat(length) + "!", (more) => {
          steps += more;
        });
        return steps;
      };
      expect(stepsFor(4000) / stepsFor(1000)).toBeLessThan(4.5);
    },
  );

  it.each([
    ["^(?=a)b|c", "looks around (lookahead or lookbehind), which has no time bound"],
    ["^a(?=b)", "looks around (lookahead or lookbehind), which has no time bound"],
    ["^(?=a(?!b))a", "looks around (lookahead or lookbehind), which has no time bound"],
    ["a(?=b)", "looks around (lookahead or lookbehind), which has no time bound"],
    ["a(?!b)", "looks around (lookahead or lookbehind), which has no time bound"],
    ["(?<=a)b", "looks around (lookahead or lookbehind), which has no time bound"],
    ["(?<!a)b", "looks around (lookahead or lookbehind), which has no time bound"],
    ["(a)\\1", "refers back to a group (a back-reference), which has no time bound"],
    ["(?<n>a)\\k<n>", "refers back to a group (a back-reference), which has no time bound"],
    ["(?i:a)", "changes flags inside a group, or has a name that is too long"],
    ["(a{1000}){1000}", "repeats too often: expanded, it has too many states"],
    ["a{999999999999}", "repeats too often: expanded, it has too many states"],
    ["(a", "is not an ECMAScript regular expression with the flag u (Unterminated group)"],
    ["\\-", "is not an ECMAScript regular expression with the flag u (Invalid escape)"],
  ])("refuses %s", (pattern, why) => {
    expect(() => linearPattern(pattern, 10_000)).toThrow(why);
  });
});
