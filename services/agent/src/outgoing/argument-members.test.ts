import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentMembers } from "./argument-members.ts";

const inPieces = (text: string, size: number): string[] => text.match(new RegExp(`.{1,${size}}`, "gsu")) ?? [];

function members(text: string, size: number) {
  const reader = argumentMembers();
  return inPieces(text, size).flatMap((piece) => reader.take(piece));
}

describe("members of arguments that are still arriving", () => {
  it("are those of the object, once each and in order, however its text is cut and spaced", () => {
    const names = fc.string().filter((name) => name !== "__proto__" && !/^\d+$/.test(name));
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(3),
        (object, size, indent) => {
          const text = JSON.stringify(object, null, indent);
          expect(members(text, size)).toEqual(Object.entries(JSON.parse(text) as object));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are returned when they are complete, not before and not only at the end", () => {
    const reader = argumentMembers();
    expect(reader.take('{"a": "x, }')).toEqual([]);
    expect(reader.take('y", "b": [1, {"c')).toEqual([["a", "x, }y"]]);
    expect(reader.take('": 2}], "d": tr')).toEqual([["b", [1, { c: 2 }]]]);
    expect(reader.take("ue }")).toEqual([["d", true]]);
  });

  it.each(["[1, 2]", '"text"', '{"a": 1, b: 2, "c": 3}', '{"a" 1}', "nonsense", '{"a":1}{"b":2}'])(
    "of text that is not a JSON object are at most those before the fault: %s",
    (text) => {
      expect(members(text, 1).every(([name]) => name === "a")).toBe(true);
    },
  );

  it("are not buffered without limit", () => {
    const reader = argumentMembers();
    expect(reader.take(`{"a": "${"x".repeat(70_000)}`)).toEqual([]);
    expect(reader.take('", "b": 1}')).toEqual([]);
  });
});
