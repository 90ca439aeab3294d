import { describe, expect, it } from "vitest";
import { sentPrefix } from "./sent-prefix.ts";

/** Creates parts that count how often they are read. */
function setup() {
  let reads = 0;
  const part = (text: string) => ({ toJSON: () => [text, ++reads].slice(0, 1) });
  return { part, reads: () => reads };
}

describe("the prefix of a turn", () => {
  it("costs nothing until its digest is requested, and then each message is read once", () => {
    const { part, reads } = setup();
    const sent = [part("one")];
    const prefix = sentPrefix(part("head"), sent);
    expect(reads()).toBe(0);
    const first = prefix();
    expect(prefix()).toBe(first);
    expect(reads()).toBe(2);
    sent.push(part("two"), part("three"));
    expect(prefix()).not.toBe(first);
    expect(reads()).toBe(4);
  });

  it("has the same digest at every request, and another for anything that differs", () => {
    const digest = (head: object, ...sent: readonly object[]) => sentPrefix(head, sent)();
    const grown: object[] = [];
    const prefix = sentPrefix({ system: "a" }, grown);
    const digests = [["one"], ["two"]].map((message) => {
      grown.push(message);
      return prefix();
    });
    expect(digests).toEqual([digest({ system: "a" }, ["one"]), digest({ system: "a" }, ["one"], ["two"])]);
    const others = [
      digest({ system: "a" }),
      digest({ system: "b" }, ["one"]),
      digest({ system: "a" }, ["two"]),
      digest({ system: "a" }, ["one", "two"]),
    ];
    expect(new Set([...digests, ...others]).size).toBe(6);
  });
});
