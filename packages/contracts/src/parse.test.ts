import { Type } from "./schema.ts";
import { describe, expect, it } from "vitest";
import { compileSchema, describeProblems, jsonParser, parser } from "./parse.ts";

const Order = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    amount: Type.Integer({ minimum: 1 }),
    currency: Type.String({ default: "EUR" }),
    state: Type.Optional(Type.Enum(["open", "paid"])),
    to: Type.Optional(Type.Object({ street: Type.String() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);

function setup() {
  const parse = parser(Order);
  const problems = (value: unknown) => {
    const parsed = parse(value);
    return parsed.ok ? [] : parsed.problems;
  };
  return { parse, problems };
}

describe("a strict parser", () => {
  it("returns the typed value", () => {
    expect(setup().parse({ id: "o1", amount: 2, currency: "SEK" })).toEqual({ ok: true, value: { id: "o1", amount: 2, currency: "SEK" } });
  });

  it("fills in defaults", () => {
    expect(setup().parse({ id: "o1", amount: 2 })).toEqual({ ok: true, value: { id: "o1", amount: 2, currency: "EUR" } });
  });

  it("uses the singular for one character, unlike its validator", () => {
    expect(setup().problems({ id: "", amount: 2 })).toEqual([{ path: "/id", message: "must NOT have fewer than 1 character" }]);
  });

  it("names a field that is missing", () => {
    expect(setup().problems({ amount: 2 })).toEqual([{ path: "/id", message: "is required" }]);
  });

  it("refuses an unknown field at any depth, and removes none", () => {
    const value = { id: "o1", amount: 2, note: "x", to: { street: "s", zip: 1 } };
    expect(setup().problems(value)).toEqual([
      { path: "/note", message: "is not a known field" },
      { path: "/to/zip", message: "is not a known field" },
    ]);
    expect(value).toHaveProperty("note", "x");
  });

  it.each([
    ["a number in a text", "2"],
    ["true", true],
    ["null", null],
    ["a list of one", [2]],
    ["a fraction", 2.5],
  ])("coerces nothing: %s is not an integer", (_, amount) => {
    expect(setup().problems({ id: "o1", amount })).toEqual([{ path: "/amount", message: "must be integer" }]);
  });

  it.each(["1e999", "-1e999"])("accepts only finite numbers: not %s, whose JSON text would be null", (text) => {
    expect(setup().problems({ id: "o1", amount: JSON.parse(text) })).toEqual([{ path: "/amount", message: "must be integer" }]);
    expect(parser(Type.Number())(JSON.parse(text)).ok).toBe(false);
    expect(compileSchema({ type: "number" })(JSON.parse(text))).toHaveLength(1);
  });

  it("says which values are allowed", () => {
    expect(setup().problems({ id: "o1", amount: 2, state: "new" })).toEqual([{ path: "/state", message: 'must be one of "open", "paid"' }]);
    expect(parser(Type.Object({ v: Type.Literal(1) }))({ v: 2 })).toEqual({ ok: false, problems: [{ path: "/v", message: "must be 1" }] });
  });

  it("reports several faults at once", () => {
    expect(
      setup()
        .problems({ id: "", amount: 0 })
        .map(({ path }) => path),
    ).toEqual(["/id", "/amount"]);
  });

  it("reports eight faults at most, however many there are", () => {
    const flood = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, i]));
    expect(setup().problems({ id: "o1", amount: 2, ...flood })).toHaveLength(8);
  });

  it("points with JSON Pointers, also into names that contain separators", () => {
    expect(setup().problems({ id: "o1", amount: 2, "a/b~c": 1 })).toEqual([{ path: "/a~1b~0c", message: "is not a known field" }]);
    const nested = parser(Type.Object({ "a/b": Type.Array(Type.String()) }));
    expect(nested({ "a/b": ["x", 1] })).toEqual({ ok: false, problems: [{ path: "/a~1b/1", message: "must be string" }] });
  });

  it("points at the value itself with an empty pointer", () => {
    expect(setup().problems("text")).toEqual([{ path: "", message: "must be object" }]);
  });
});

describe("a parser of JSON text", () => {
  it("checks what the text holds", () => {
    const parse = jsonParser(Order);
    expect(parse('{"id":"o1","amount":2}')).toMatchObject({ ok: true, value: { currency: "EUR" } });
    expect(parse('{"id":"o1"}')).toEqual({ ok: false, problems: [{ path: "/amount", message: "is required" }] });
  });

  it.each(["", "{", "undefined", '{"id":"o1",}'])("answers %j with one problem and does not throw", (text) => {
    expect(jsonParser(Order)(text)).toEqual({ ok: false, problems: [{ path: "", message: "is not JSON" }] });
  });
});

describe("a compiled schema", () => {
  it("applies defaults in place", () => {
    const value = {};
    expect(compileSchema({ type: "object", properties: { limit: { type: "integer", default: 10 } } })(value)).toEqual([]);
    expect(value).toEqual({ limit: 10 });
  });

  it("may share its $id with another one", () => {
    const first = compileSchema({ $id: "https://example.org/same", type: "string" });
    const second = compileSchema({ $id: "https://example.org/same", type: "number" });
    expect([first("x"), second(1)]).toEqual([[], []]);
    expect([first(1), second("x")].map((problems) => problems.length)).toEqual([1, 1]);
  });

  it("is refused at once if it is not a schema", () => {
    expect(() => compileSchema({ type: "objekt" })).toThrow("schema is invalid");
  });
});

describe("problems in one line", () => {
  it("are separated by semicolons, each with its place", () => {
    const problems = [
      { path: "/id", message: "is required" },
      { path: "", message: "is not JSON" },
    ];
    expect(describeProblems(problems)).toBe("/id is required; is not JSON");
  });
});
