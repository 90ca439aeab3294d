import type { RunEnd } from "@toolbus/contracts";
import { expect, it } from "vitest";
import { earlyEnd } from "./watch-command.ts";

const plain = (_style: unknown, text: string): string => text;

it("says of an answer that reached the longest length of a reply that it is cut off, and of no other answer", () => {
  const usage = { inputTokens: 0, outputTokens: 0, modelCalls: 1, toolCalls: 0 };
  const end = (truncated: boolean): RunEnd & { sequence: number } => ({
    type: "run.completed",
    at: 0,
    text: "It is",
    truncated,
    report: null,
    usage,
    sequence: 1,
  });
  expect(earlyEnd(end(false), plain)).toEqual([]);
  expect(earlyEnd(end(true), plain)).toEqual([expect.stringMatching(/^The answer is cut off, .* raise limits\.maxTokens of the profile/)]);
});
