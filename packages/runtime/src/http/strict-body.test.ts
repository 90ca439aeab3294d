import { describe, expect, it } from "vitest";
import { HttpProblem } from "./problem.ts";
import { strictBody } from "./strict-body.ts";

const refused = (text: string): HttpProblem => {
  try {
    strictBody(text);
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
  throw new Error("It was read.");
};

describe("a body", () => {
  it.each([
    { text: '{"text":"a","text":"b"}', path: "/text", message: "appears more than once" },
    { text: '{"input":{"to":[{"name":1,"n\\u0061me":2}]}}', path: "/input/to/0/name", message: "appears more than once" },
    { text: '{"a":{"__proto__":{"admin":true}}}', path: "/a/__proto__", message: "is a key that is not allowed" },
    { text: '{"a":9007199254740993}', path: "/a", message: "is an integer beyond 2^53 - 1; send it as a string" },
    { text: '{"a":"\\ud800"}', path: "/a", message: "holds a lone surrogate" },
    { text: `${"[".repeat(33)}${"]".repeat(33)}`, path: `${"/0".repeat(32)}`, message: "is nested deeper than 32 levels" },
  ])("that two readers may read differently is refused with its place: $path $message", ({ text, path, message }) => {
    const { status, code, message: detail, extra } = refused(text);
    expect({ status, code, detail, ...extra }).toEqual({
      status: 400,
      code: "malformed_body",
      detail: `The body cannot be read in one way only: "${path}" ${message}.`,
      remedy: "Fix what errors lists, by JSON Pointer.",
      errors: [{ path, message }],
    });
  });

  it.each(["{", '{"a":1,}', "\u0000", '{"a":NaN}'])("that is not JSON is refused as such: %j", (text) => {
    expect(refused(text).message).toBe("The body is not readable JSON.");
  });

  it("is not sent back whole if its key is long", () => {
    const key = "k".repeat(50_000);
    expect(JSON.stringify(refused(`{"${key}":1,"${key}":2}`).body()).length).toBeLessThan(1000);
  });

  it("with the same key in different objects, and with a byte order mark, is read", () => {
    expect(strictBody('\uFEFF{"a":{"x":1},"b":[{"x":1},{"x":2}],"c":"\\"x\\":1"}')).toEqual({
      a: { x: 1 },
      b: [{ x: 1 }, { x: 2 }],
      c: '"x":1',
    });
  });

  it.each([
    ["escapes", JSON.stringify('\\"'.repeat(60_000))],
    ["keys", JSON.stringify(Object.fromEntries(Array.from({ length: 18_000 }, (_, n) => [`k${n}`, n])))],
    ["nested lists", `[${`${"[".repeat(31)}${"]".repeat(31)},`.repeat(4000)}1]`],
  ])("of 256 KiB of %s is checked at once", (_, text) => {
    const began = performance.now();
    strictBody(text);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
