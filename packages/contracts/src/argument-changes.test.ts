import { describe, expect, it } from "vitest";
import { argumentChanges, planChanges, changesInWords } from "./argument-changes.ts";

const asItIs = (text: string): string => text;

describe("the changes of arguments", () => {
  it("are those of the top-level fields that differ, whatever the order of keys", () => {
    const before = { to: "ana", amount: 100, note: "old", where: { a: 1, b: [1] } };
    const after = { amount: 20, to: "ana", fast: true, where: { b: [1], a: 1 } };
    const changes = argumentChanges(before, after, asItIs);
    expect(changes).toEqual([
      { name: "amount", before: "100", after: "20" },
      { name: "fast", after: "true" },
      { name: "note", before: '"old"' },
    ]);
    expect(changesInWords(changes)).toBe('"amount" was 100 and is 20; "fast" was absent and is true; "note" was "old" and is absent');
  });

  it("tell an absent field from one that every object inherits, and a number from its text", () => {
    expect(argumentChanges({}, { constructor: 1 }, asItIs)).toEqual([{ name: "constructor", after: "1" }]);
    expect(argumentChanges({ n: 1 }, { n: "1" }, asItIs)).toEqual([{ name: "n", before: "1", after: '"1"' }]);
  });

  it("stay small, however many and however long the arguments are", () => {
    const of = (text: string) => Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, text.repeat(10_000)]));
    expect(JSON.stringify(argumentChanges(of("a"), of("b"), asItIs)).length).toBeLessThan(8000);
  });

  it("are redacted before they are cut, so no part of a credential remains", () => {
    const secret = `key_${"7".repeat(40)}`;
    const note = `${"word ".repeat(36)}${secret}`;
    const [change] = argumentChanges({ note: "" }, { note }, (text) => text.replace(/key_7{40}/, "[redacted]"));
    expect(change?.after).toBe(`"${"word ".repeat(36)}[redacted]"`);
  });
});

describe("the changes of a plan", () => {
  it("has every field that differs, with its whole value", () => {
    const names = Array.from({ length: 70 }, (_, n) => `field${n}`);
    const of = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
    const changes = planChanges({ before: of(`${"x".repeat(300)}a`), after: of(`${"x".repeat(300)}b`) }, (text) => text);
    expect(changes).toHaveLength(70);
    expect(changes.every(({ before, after }) => before?.endsWith('a"') && after?.endsWith('b"'))).toBe(true);
  });

  it("is redacted", () => {
    expect(planChanges({ before: {}, after: { key: "secret" } }, () => "[redacted]")).toEqual([{ name: "key", after: "[redacted]" }]);
  });
});
