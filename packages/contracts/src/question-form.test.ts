import { describe, expect, it } from "vitest";
import { contentProblems, readForm } from "./question-form.ts";

const form = (properties: object, more: object = {}) => ({ type: "object", properties, ...more }) as Parameters<typeof readForm>[0];

describe("the form of a question", () => {
  it("has texts, numbers, yes or no, and choices with and without titles", () => {
    const read = readForm(
      form(
        {
          name: { type: "string", title: "Name", format: "email" },
          age: { type: "integer", minimum: 1, default: 7 },
          sure: { type: "boolean" },
          one: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
          titled: { type: "string", oneOf: [{ const: "x", title: "X" }] },
          some: { type: "array", items: { anyOf: [{ const: "y", title: "Y" }] } },
        },
        { required: ["name"] },
      ),
    );
    if (!read.ok) throw new Error(read.reason);
    expect(read.fields.map(({ name, type, many, required }) => [name, type, many, required])).toEqual([
      ["name", "string", false, true],
      ["age", "integer", false, false],
      ["sure", "boolean", false, false],
      ["one", "string", false, false],
      ["titled", "string", false, false],
      ["some", "string", true, false],
    ]);
    expect(read.fields.flatMap(({ choices }) => choices.map(({ title }) => title))).toEqual(["A", "B", "X", "Y"]);
  });

  it.each([
    ["an object in an object", form({ a: { type: "object", properties: {} } })],
    ["a list without choices", form({ a: { type: "array", items: { type: "string" } } })],
    ["a text", { type: "string" }],
    ["too many bytes", form({ a: { type: "string", description: "x".repeat(9000) } })],
    ["too many fields", form(Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, { type: "string" }])))],
    ["a schema that cannot be judged", form({ a: { type: "string", pattern: "(a)\\1" } })],
  ])("is refused with %s", (_, refused) => {
    expect(readForm(refused)).toMatchObject({ ok: false });
  });
});

describe("the content of an answer", () => {
  const asked = form({ name: { type: "string", pattern: "^(a+)+$" }, age: { type: "integer", default: 42 } }, { required: ["name"] });

  it("must fit the form, and gets no defaults that the person did not state", () => {
    const content = { name: "aa" };
    expect(contentProblems(asked, content)).toEqual([]);
    expect(content).toEqual({ name: "aa" });
    expect(contentProblems(asked, {})).toMatchObject([{ path: "/content/name" }]);
    expect(contentProblems(asked, { name: "aa", age: "7" })).toMatchObject([{ path: "/content/age" }]);
    expect(contentProblems(asked, { name: "aa", more: 1 })).toEqual([{ path: "/content/more", message: "is not a field of the form" }]);
    expect(contentProblems(form({ a: { type: "string" } }), { a: "x".repeat(20_000) })).toMatchObject([{ path: "/content" }]);
  });

  it("is checked in linear time, whatever pattern a server sends", () => {
    const before = performance.now();
    expect(contentProblems(asked, { name: `${"a".repeat(5000)}b` })).not.toEqual([]);
    expect(performance.now() - before).toBeLessThan(1000);
  });
});
