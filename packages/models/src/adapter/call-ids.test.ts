import { describe, expect, it } from "vitest";
import { freeCallIds } from "./call-ids.ts";
import { resultEntry, seedTurn } from "../conformance/requests.ts";

const turn = (...ids: string[]) => [
  seedTurn("", ...ids.map((id) => ({ id, name: "look", arguments: "{}" }))),
  ...ids.map((id) => resultEntry(id, "look", "{}")),
];

describe("ids of a reply's calls", () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ["are kept if they are valid", ["a", "b"], [], ["a", "b"]],
    ["are generated if they are missing", ["", "b", ""], [], ["call_0", "b", "call_1"]],
    ["are generated if they repeat", ["a", "a", "a"], [], ["a", "call_0", "call_1"]],
    ["are generated if the transcript already has them", ["a", "b"], ["a"], ["call_1", "b"]],
    ["continue the count of calls so far", ["", ""], ["x", "y"], ["call_2", "call_3"]],
    ["skip ids that the vendor itself gives later", ["", "call_0"], [], ["call_1", "call_0"]],
    ["are generated for ids that are not worth keeping", ["x".repeat(300), "half \ud83d"], [], ["call_0", "call_1"]],
  ])("%s", (_, given, before, ids) => {
    expect(freeCallIds(given, before.length > 0 ? turn(...before) : [])).toEqual(ids);
  });
});
