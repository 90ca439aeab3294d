import { expect, it } from "vitest";
import { doubtsOf } from "./doubts.ts";

const plain = { effect: "Pays a bill.", requester: "rita" };

it("finds a doubtful word wherever it is, by JSON Pointer", () => {
  const found = doubtsOf({ ...plain, requester: "ritа" }, { to: [{ hоst: "x" }, "раураӏ.com"], "a/b": "1৪" });
  expect(found.map(({ place, why, spelled }) => [place, why, spelled])).toEqual([
    ["/arguments/to/0/hоst", "mixed_scripts", "h\\u043est"],
    ["/arguments/to/1", "looks_latin", "\\u0440\\u0430\\u0443\\u0440\\u0430\\u04cf"],
    ["/arguments/a~1b", "mixed_digits", "1\\u09ea"],
    ["/requester", "mixed_scripts", "rit\\u0430"],
  ]);
});

it("finds one that only the effect has, from the tool's author", () => {
  expect(doubtsOf({ ...plain, effect: "Pays to pаypal." }, null)).toMatchObject([{ place: "/effect", spelled: "p\\u0430ypal" }]);
});

it("reports 16 at most", () => {
  expect(doubtsOf(plain, { list: Array.from({ length: 1000 }, (_, n) => `pа${n}`) })).toHaveLength(16);
});
