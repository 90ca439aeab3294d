import { describe, expect, it } from "vitest";
import { freeCallIds } from "./call-ids.ts";
import { resultEntry, seedTurn } from "../conformance/requests.ts";

const turn = (...ids: string[]) => [
  seedTurn("", ...ids.map((id) => ({ id, name: "look", arguments: "{}" }))),
  ...ids.map((id) => resultEntry(id, "look", "{}")),
];

describe("ids of a reply's calls", () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ["are kept when they are good", ["a", "b"], [], ["a", "b"]],
    ["are made where they are missing", ["", "b", ""], [], ["call_0", "b", "call_1"]],
    ["are made where they come again", ["a", "a", "a"], [], ["a", "call_0", "call_1"]],
    ["are made where the transcript has them", ["a", "b"], ["a"], ["call_1", "b"]],
    ["count on from the calls so far", ["", ""], ["x", "y"], ["call_2", "call_3"]],
    ["pass over what the vendor itself gives later", ["", "call_0"], [], ["call_1", "call_0"]],
    ["are made for what nobody wants to keep", ["x".repeat(300), "half \ud83d"], [], ["call_0", "call_1"]],
  ])("%s", (_, given, before, ids) => {
    expect(freeCallIds(given, before.length > 0 ? turn(...before) : [])).toEqual(ids);
  });
});
