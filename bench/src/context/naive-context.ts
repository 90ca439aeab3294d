import { type Json, keys, type TranscriptEntry } from "@toolbus/contracts";
import type { ModelProvider } from "@toolbus/models";
import type { StateStore } from "@toolbus/state";
import { CONVERSATION, SYSTEM_PROMPT } from "./long-conversation.ts";

const PAGE = 500;

/**
 * Builds a context as a hand-written loop does each turn. It reads the whole transcript, converts the transcript to messages, and counts all the
 * tokens. Then it drops the oldest entries until the rest fits.
 */
export async function naiveContext(store: StateStore, model: ModelProvider, budget: number): Promise<readonly object[]> {
  const entries = await wholeTranscript(store);
  // Copied entries have no remembered token count, so the model counts their tokens again, as it does after a new read.
  const sizes = entries.map((entry) => model.estimateTokens([{ ...entry }], ""));
  let tokens = sizes.reduce((sum, own) => sum + own, model.estimateTokens([], SYSTEM_PROMPT));
  let from = 0;
  while (tokens > budget) tokens -= sizes[from++] ?? 0;
  while (entries[from]?.type === "result") from++;
  return entries.map(messageOf).slice(from);
}

async function wholeTranscript(store: StateStore): Promise<readonly TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  for (let after = 0; ; after += PAGE) {
    const page = await store.range(keys.transcript(CONVERSATION), { after, limit: PAGE });
    entries.push(...page.map(({ value }) => value as Json as unknown as TranscriptEntry));
    if (page.length < PAGE) return entries;
  }
}

function messageOf(entry: TranscriptEntry): object {
  switch (entry.type) {
    case "user":
      return { role: "user", content: entry.text };
    case "assistant":
      return {
        role: "assistant",
        content: entry.text,
        tool_calls: entry.calls.map(({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } })),
      };
    case "result":
      return { role: "tool", tool_call_id: entry.id, content: entry.content };
  }
}
