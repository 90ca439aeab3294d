import type { TranscriptEntry } from "@toolbus/contracts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { estimateTokens, estimateToolTokens, mostTokens } from "./estimate-tokens.ts";
import { loadTokenizer } from "./tokenizer.ts";

const SYSTEM = "Be brief, and look things up before you say anything about them.";
const LONG = "The release was rolled back on Tuesday, because half of its requests failed. ".repeat(50);

const user: TranscriptEntry = { type: "user", runId: "r", text: LONG, at: 1 };
const turn = (payload?: object): TranscriptEntry => ({
  type: "assistant",
  runId: "r",
  round: 1,
  text: "",
  calls: [{ id: "a", callId: "c", name: "look", arguments: '{"n":1}' }],
  at: 1,
  provider: "anthropic",
  model: "m",
  ...(payload ? { vendor: { api: "anthropic.messages", model: "m", payload: payload as never } } : {}),
});

describe("an estimate", () => {
  beforeAll(loadTokenizer);

  it("works before the tokenizer is loaded, less exactly, and differs after it", async () => {
    // A process loads its tokenizer only once, so the test resets the modules to start as in a new process.
    vi.resetModules();
    const anew = await import("./tokenizer.ts");
    const { estimateTokens: estimated } = await import("./estimate-tokens.ts");
    const rough = estimated([user], SYSTEM, "openai");
    expect(anew.tokenizer().generation).toBe(0);
    await anew.loadTokenizer();
    const exact = estimated([user], SYSTEM, "openai");
    expect(anew.tokenizer().generation).toBe(1);
    expect(exact).not.toBe(rough);
    expect(Math.abs(rough / exact - 1)).toBeLessThan(0.5);
  });

  it("grows with every entry, call and word, and with the family's factor", () => {
    const alone = estimateTokens([], "", "openai");
    const grown = [[], [user], [user, turn()], [user, turn(), { ...user, text: "And?" }]].map((entries) =>
      estimateTokens(entries, SYSTEM, "openai"),
    );
    expect(alone).toBe(0);
    expect(grown).toEqual(grown.toSorted((a, b) => a - b));
    expect(new Set(grown).size).toBe(4);
    expect(estimateTokens([user], SYSTEM, "anthropic")).toBe(Math.ceil((grown[1] ?? 0) * 1.4));
  });

  it("counts the thinking in a vendor's own form of a turn, and not its signature", () => {
    const plain = estimateTokens([turn()], "", "anthropic");
    const signed = estimateTokens([turn({ content: [{ type: "thinking", thinking: "", signature: LONG }] })], "", "anthropic");
    const thought = estimateTokens([turn({ content: [{ type: "thinking", thinking: LONG, signature: LONG }] })], "", "anthropic");
    expect(signed).toBe(plain);
    expect(thought).toBeGreaterThan(plain + 900);
  });

  it("includes the schemas of tools", () => {
    const tool = { name: "look", description: "Looks it up.", parameters: { type: "object", properties: { n: { type: "integer" } } } };
    const wide = { ...tool, parameters: { type: "object", properties: { n: { type: "string", description: LONG } } } };
    expect(estimateToolTokens([])).toBe(0);
    expect(estimateToolTokens([wide])).toBeGreaterThan(estimateToolTokens([tool]) + 600);
  });

  it("counts tools by the family that needs the most tokens for them", () => {
    const tool = { name: "look", description: LONG, parameters: {} };
    const asText = `${tool.name}${tool.description}${JSON.stringify(tool.parameters)}`;
    const families = ["openai", "anthropic", "bedrock", "other"] as const;
    for (const family of families) expect(estimateToolTokens([tool])).toBeGreaterThanOrEqual(estimateTokens([], asText, family));
  });

  it.each(["openai", "anthropic", "bedrock", "other"] as const)("is never more than the limit that needs no count (%s)", (family) => {
    const thinking = { content: [{ type: "thinking", thinking: LONG, signature: LONG }] };
    const result: TranscriptEntry = {
      type: "result",
      runId: "r",
      round: 1,
      id: "a",
      callId: "c",
      name: "look",
      status: "ok",
      content: "東京".repeat(9000),
      isError: false,
      at: 1,
    };
    // In the last entry, every byte is a token.
    for (const entry of [user, turn(), turn(thinking), result, { ...user, text: "\u0001".repeat(40_000) }]) {
      expect(estimateTokens([entry], "", family)).toBeLessThanOrEqual(mostTokens(entry, family));
      expect(mostTokens(entry, family)).toBe(mostTokens(structuredClone(entry), family));
    }
  });

  it("counts an entry once", () => {
    let reads = 0;
    const counted: TranscriptEntry = {
      type: "user",
      runId: "r",
      at: 1,
      get text() {
        reads++;
        return LONG;
      },
    };
    const first = estimateTokens([counted], "", "openai");
    expect(estimateTokens([counted, user], "", "openai")).toBeGreaterThan(first);
    expect(reads).toBe(1);
  });
});
