import { describe, expect, it } from "vitest";
import { chunkText } from "./chunk-text.ts";

const MOST = 64_000;
const pieces = (text: string, most = MOST): string[] => chunkText(text, most).chunks.map(({ start, end }) => text.slice(start, end));
const headings = (text: string, most = MOST): string[] => chunkText(text, most).chunks.map(({ heading }) => heading);
const prose = (chars: number): string =>
  "Some words of a long text without any break at all. ".repeat(Math.ceil(chars / 52)).slice(0, chars);

/** Returns random numbers that are the same in every run of the test. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PARTS = [
  "# One\n",
  "## Two ##\n",
  "### Three\n",
  "#### four\n",
  "\n\n",
  "\r\n\r\n",
  "```\n",
  "~~~~\n# no heading\n",
  "\n",
  "word ",
  "😀",
  "\ud83d",
  "é",
  "中文字",
  "\t",
];

function anyText(seed: number): string {
  const roll = dice(seed);
  let text = "";
  while (text.length < 500 + roll(6000)) text += (PARTS[roll(PARTS.length)] ?? "").repeat(1 + roll(roll(8) === 0 ? 400 : 5));
  return text;
}

function anyJson(seed: number): string {
  const roll = dice(seed);
  const value = (depth: number): unknown => {
    switch (depth > 3 ? 4 + roll(4) : roll(8)) {
      case 0:
      case 1:
        return Array.from({ length: roll(5) }, () => value(depth + 1));
      case 2:
      case 3:
        return Object.fromEntries(Array.from({ length: roll(5) }, (_, n) => [`k${n}${PARTS[roll(PARTS.length)]}`, value(depth + 1)]));
      case 4:
        return anyText(seed + depth).slice(0, roll(800));
      case 5:
        return `\\\\n"\u0001\u2028${"\\".repeat(roll(9))}😀`.repeat(roll(10));
      case 6:
        return roll(1_000_000) / 7;
      default:
        return [null, true, ""][roll(3)];
    }
  };
  return JSON.stringify({ first: value(0), list: Array.from({ length: 8 }, () => value(1)), last: value(0) }, null, roll(3));
}

describe("chunks of any text", () => {
  const cases = Array.from({ length: 150 }, (_, seed) => ({
    text: seed % 2 === 0 ? anyText(seed) : anyJson(seed),
    most: [40, 333, 1000, 2500][seed % 4] ?? 40,
  }));

  it("lose nothing and keep the order", () => {
    for (const { text, most } of cases) {
      const { chunks } = chunkText(text, most);
      expect(chunks.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
      for (const [n, chunk] of chunks.entries()) expect(chunk.start).toBe(n === 0 ? 0 : chunks[n - 1]?.end);
    }
  });

  it("are never longer than the most, and never shorter than the least but for the last", () => {
    for (const { text, most } of cases) {
      const lengths = pieces(text, most).map((piece) => piece.length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(most);
      // An escape or a surrogate pair that does not fit goes into the next chunk.
      for (const length of lengths.slice(0, -1)) expect(length).toBeGreaterThan(most / 2 - 7);
    }
  });

  it("never split a character of the text", () => {
    for (const { text, most } of cases)
      for (const { end } of chunkText(text, most).chunks.slice(0, -1))
        expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1))).toBe(false);
  });

  it.each([333, 334, 1, 2, 3])("never split a surrogate pair in a text that has no other place to cut, %i characters at most", (most) => {
    for (const text of ["😀".repeat(700), `a${"😀".repeat(700)}`, ...(most > 3 ? [JSON.stringify(["😀".repeat(700)])] : [])]) {
      const all = pieces(text, most);
      expect(all.join("")).toBe(text);
      expect(all.filter((piece) => !piece.isWellFormed())).toEqual([]);
    }
  });

  it("never split an escape of a JSON string", () => {
    const text = JSON.stringify(['\\\n\u0001"'.repeat(20_000)]);
    for (const most of [40, 41, 42, 43, 44, 45, 46]) {
      const places = chunkText(text, most)
        .chunks.slice(1)
        .map(({ start }) => start);
      const whole = new Set(Array.from(text.matchAll(/\\u....|\\.|./g), ({ index }) => index));
      expect(places.filter((at) => !whole.has(at))).toEqual([]);
    }
  });

  it("have sections in the order of the text, each at its title", () => {
    for (const { text, most } of cases) {
      const { sections } = chunkText(text, most);
      expect(sections.map(({ at }) => at)).toEqual(sections.map(({ at }) => at).toSorted((a, b) => a - b));
      for (const { at, title } of sections) expect(text.slice(at, at + title.length + 12)).toContain(title);
    }
  });
});

describe("chunks of a long text", () => {
  it("are one if the text is not longer than the maximum", () => {
    expect(pieces(prose(MOST))).toHaveLength(1);
    expect(pieces("")).toEqual([""]);
  });

  it("are cut before the heading of the lowest level, wherever in reach it is", () => {
    const text = `# A\n${prose(25_000)}\n## B\n${prose(10_000)}\n# C\n${prose(15_000)}\n## D\n${prose(30_000)}\n### E\n${prose(25_000)}`;
    expect(pieces(text).map((piece) => piece.slice(0, 5))).toEqual(["# A\nS", "# C\nS", "### E"]);
    expect(headings(text)).toEqual(["A", "C", "C > D > E"]);
  });

  it("are cut before the last of several headings of one level", () => {
    const text = `## A\n${prose(25_000)}\n## B\n${prose(20_000)}\n## C\n${prose(40_000)}`;
    expect(headings(text)).toEqual(["A", "C"]);
  });

  it("are cut after a blank line if there is no heading, and after a line if there is neither", () => {
    const blank = `${prose(30_000)}\n\n${prose(20_000)}\n${prose(40_000)}`;
    expect(pieces(blank)[0]).toHaveLength(30_002);
    const line = `${prose(30_000)}\n${prose(70_000)}`;
    expect(pieces(line)[0]).toHaveLength(30_001);
    expect(pieces(prose(100_000))[0]).toHaveLength(MOST);
  });

  it("do not mistake a comment in a code block for a heading", () => {
    const code = `# Real\n\`\`\`sh\n# no heading\n\`\`\`\n~~~\n# neither\n\`\`\`\n# nor this\n~~~\n## Also real\n`;
    expect(chunkText(code, MOST).sections.map(({ title }) => title)).toEqual(["Real", "Also real"]);
  });

  it("are never planned under 20,000 characters, and the last one gets as many if possible", () => {
    const text = `# A\n${prose(100)}\n# B\n${prose(500)}\n# C\n${prose(66_000)}\n# D\n${prose(10)}`;
    const lengths = pieces(text).map((piece) => piece.length);
    // The number comes from the requirement, so it is independent of the code's constant.
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(20_000);
  });

  it("follow a lower maximum, under 20,000 characters if need be", () => {
    expect(pieces(prose(70_000), 32_000).map((piece) => piece.length)).toEqual([32_000, 20_000, 18_000]);
    expect(Math.max(...pieces(prose(70_000), 5000).map((piece) => piece.length))).toBe(5000);
  });
});

describe("chunks of JSON", () => {
  const items = Array.from({ length: 3000 }, (_, id) => ({ id, text: `item, "${id}" [of] {many}`, tags: ["a", "b"] }));

  it("begin and end between items, and say with which item they begin", () => {
    const text = JSON.stringify({ found: 3000, items });
    const all = pieces(text);
    expect(all.length).toBeGreaterThan(2);
    for (const piece of all.slice(1)) expect(piece).toMatch(/^\{"id":\d+,/);
    expect(headings(text)[0]).toBe("found");
    for (const [n, heading] of headings(text).entries())
      if (n > 0) expect(heading).toBe(`items[${/^\{"id":(\d+),/.exec(all[n] ?? "")?.[1]}]`);
  });

  it("are cut between the outermost members first", () => {
    const text = JSON.stringify({ first: items.slice(0, 400), second: items.slice(0, 800), third: items.slice(0, 400) });
    const all = pieces(text);
    expect(all.map((piece) => /^.?"(\w+)":\[/.exec(piece)?.[1])).toEqual(["first", "second", "third"]);
    expect(headings(text)).toEqual(["first", "second", "third"]);
    expect(chunkText(text, MOST).sections.map(({ level, title }) => `${level} ${title}`)).toEqual(["1 first", "1 second", "1 third"]);
  });

  it("follow the headings of a long string", () => {
    const log = `# A\n${prose(30_000)}\n\n# B\n${prose(30_000)}\n\n# C\n${prose(30_000)}`;
    const text = JSON.stringify({ url: "https://example.org", page: { text: log } });
    expect(
      pieces(text)
        .slice(1)
        .map((piece) => piece.slice(0, 3)),
    ).toEqual(["# C"]);
    expect(headings(text)).toEqual(["url", "page.text"]);
  });

  it("are made quickly of a megabyte that is hard to cut", () => {
    const started = performance.now();
    for (const text of [
      JSON.stringify(Array(500_000).fill(1)),
      "# a\n".repeat(250_000),
      `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
      JSON.stringify(["\n".repeat(500_000)]),
    ])
      expect(pieces(text).join("")).toBe(text);
    // The test takes seconds on a slow machine. It would take minutes if the code read the text again for each place.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
