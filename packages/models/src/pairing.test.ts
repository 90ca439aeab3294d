import type { TranscriptEntry } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { assertPaired, UnpairedTranscript } from "./pairing.ts";

const runId = "rn_00_1";
const user: TranscriptEntry = { type: "user", runId, text: "Look at it.", at: 0 };

function turn(...ids: string[]): TranscriptEntry {
  const calls = ids.map((id) => ({ id, callId: `${runId}.1.${id}`, name: "look", arguments: "{}" }));
  return { type: "assistant", runId, round: 1, text: "", calls, at: 0, provider: "any", model: "any" };
}

function result(id: string): TranscriptEntry {
  return {
    type: "result",
    runId,
    round: 1,
    id,
    callId: `${runId}.1.${id}`,
    name: "look",
    status: "ok",
    content: "{}",
    isError: false,
    at: 0,
  };
}

describe("pairing of calls and results", () => {
  it.each<[string, readonly TranscriptEntry[]]>([
    ["an empty transcript", []],
    ["text alone", [user, turn(), user]],
    ["every call with its result, in any order", [user, turn("a", "b"), result("b"), result("a"), turn()]],
    ["ids that repeat in a later turn", [turn("a"), result("a"), turn("a"), result("a")]],
  ])("accepts %s", (_, transcript) => {
    expect(() => assertPaired(transcript)).not.toThrow();
  });

  it.each<[string, readonly TranscriptEntry[], string]>([
    ["a call without a result at the end", [turn("a", "b"), result("a")], "b"],
    ["a call without a result before the next turn", [turn("a"), turn("b"), result("b")], "a"],
    ["a call without a result before the next message", [turn("a"), user, result("a")], "a"],
    ["a result without a call", [user, result("x")], "x"],
    ["a result of an earlier turn", [turn("a"), result("a"), turn("b"), result("a")], "a"],
    ["two results of one call", [turn("a"), result("a"), result("a")], "a"],
    ["two calls with one id", [turn("a", "a"), result("a"), result("a")], "a"],
    ["an empty id that pairs with nothing", [turn("a"), result("")], ""],
  ])("refuses %s and names the id", (_, transcript, id) => {
    let thrown: unknown;
    try {
      assertPaired(transcript);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UnpairedTranscript);
    expect(thrown).toMatchObject({ id, code: "unpaired_transcript", retryable: false, message: expect.stringContaining(`"${id}"`) });
  });
});
