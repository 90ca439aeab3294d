import { describe, expect, it } from "vitest";
import { streamDifferences } from "./stream-differences.ts";
import { type StreamDeclaration, streamDeclaration } from "./topology.ts";

const wanted = streamDeclaration("toolbus", "work", { replicas: 1, maxBytes: 1_048_576 });

describe("a stream that exists", () => {
  it.each<[string, Partial<StreamDeclaration>, readonly string[], readonly string[]]>([
    ["is as it must be", {}, [], []],
    ["keeps its messages in memory", { storage: "memory" }, ["storage"], []],
    ["keeps what was handled", { retention: "limits" }, ["retention"], []],
    ["drops what is old", { discard: "old" }, [], ["discard"]],
    ["is smaller", { max_bytes: 1 }, [], ["max_bytes"]],
    ["takes other subjects", { subjects: ["toolbus.work.orders"] }, [], ["subjects"]],
    ["is kept once more", { num_replicas: 2, max_msg_size: -1 }, [], ["max_msg_size", "num_replicas"]],
  ])("%s", (_, differs, fixed, changeable) => {
    expect(streamDifferences({ ...wanted, ...differs }, wanted)).toEqual({ fixed, changeable });
  });
});
