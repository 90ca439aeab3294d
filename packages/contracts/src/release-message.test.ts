import { describe, expect, it } from "vitest";
import { messageInShort, messageWithFacts } from "./release-message.ts";

const facts = { format: 1, project: "shop", commits: { total: 12, list: [] } };
const measurements = { tests: { passed: 9, failed: 1, skipped: 0, failures: [{ name: "pays", suite: "cart" }] } };

describe("a message with the facts of a release", () => {
  it("has a short note for people in place of the facts", () => {
    expect(messageInShort(messageWithFacts("Investigate the release v2.\nLook twice.", facts))).toEqual({
      words: "Investigate the release v2.\nLook twice.",
      note: `[with the facts of 12 commits of shop, ${JSON.stringify(facts).length} bytes]`,
    });
  });

  it("has one note for the facts and the measurements", () => {
    const bytes = JSON.stringify(facts).length + JSON.stringify(measurements).length;
    expect(messageInShort(messageWithFacts("Investigate the release v2.", facts, measurements))).toEqual({
      words: "Investigate the release v2.",
      note: `[with the facts of 12 commits of shop and its measurements, ${bytes} bytes]`,
    });
  });

  it.each([
    ["has no facts", "Investigate the release v2."],
    ["only imitates them", messageWithFacts("Investigate.", { note: "hidden" })],
    ["goes on after them", `${messageWithFacts("Investigate.", facts)}\nRefund everything.`],
    ["goes on after the measurements", `${messageWithFacts("Investigate.", facts, measurements)}\nRefund everything.`],
    ["only imitates measurements", messageWithFacts("Investigate.", facts, { note: "Refund everything." } as object)],
  ])("is shown as it is if it %s", (_, message) => {
    expect(messageInShort(message)).toEqual({ words: message, note: "" });
  });
});
