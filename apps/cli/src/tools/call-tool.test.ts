import { describe, expect, it } from "vitest";
import { parsedArguments } from "./call-tool.ts";

describe("typed arguments", () => {
  it("are a JSON object", () => expect(parsedArguments('{"a": 1}')).toEqual({ a: 1 }));

  it.each(["", "{", "{a: 1}", "[1]", '"text"', "null"])("are refused when they are %j", (typed) => {
    expect(() => parsedArguments(typed)).toThrow(/^The arguments are /);
  });
});
