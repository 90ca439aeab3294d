import { isJsonObject, type Json, type TranscriptEntry } from "@toolbus/contracts";
import type { ToolSpec } from "../schema/tool-spec.ts";
import { type TokenFamily, tokenFactors } from "./token-family.ts";
import { textTokens } from "./text-tokens.ts";
import { tokenizer } from "./tokenizer.ts";

/**
 * About how many tokens a prompt takes with models of this family: what an adapter's `estimateTokens` gives. Never less for a longer prompt, be it
 * by an entry or by text at an end. Entries are never changed, so each is counted once and the figure kept beside it: a transcript that grows costs what is new.
 *
 * Works at once. Whoever awaited `loadTokenizer` gets better figures: adapters need not care, whoever connects them does.
 */
export function estimateTokens(entries: readonly TranscriptEntry[], system: string, family: TokenFamily): number {
  const { generation } = tokenizer();
  if (known.generation !== generation) known = { generation, entries: new WeakMap(), tools: new WeakMap() };
  const tokens = entries.reduce((sum, entry) => sum + entryTokens(entry), tokensOf(system));
  return Math.ceil(tokens * tokenFactors[family]);
}

/**
 * About how many tokens the tools of a request take: name, description and schema of each, as the family counts that makes the most tokens of a text.
 * Whoever asks needs a bound, and need not know whose model it is. A spec is counted once.
 */
export function estimateToolTokens(tools: readonly ToolSpec[]): number {
  const { generation } = tokenizer();
  if (known.generation !== generation) known = { generation, entries: new WeakMap(), tools: new WeakMap() };
  return Math.ceil(tools.reduce((sum, tool) => sum + toolTokens(tool), 0) * MOST_TOKENS);
}

const MOST_TOKENS = Math.max(...Object.values(tokenFactors));

// Vendors mark roles, parts and ids with tokens of their own; OpenAI's cookbook counts three to four a message and about twelve a tool.
const PER_ENTRY = 6;
const PER_CALL = 8;
const PER_TOOL = 12;

let known = { generation: -1, entries: new WeakMap<TranscriptEntry, number>(), tools: new WeakMap<ToolSpec, number>() };

function entryTokens(entry: TranscriptEntry): number {
  const before = known.entries.get(entry);
  if (before !== undefined) return before;
  const tokens = PER_ENTRY + contentTokens(entry);
  known.entries.set(entry, tokens);
  return tokens;
}

function contentTokens(entry: TranscriptEntry): number {
  switch (entry.type) {
    case "user":
      return tokensOf(entry.text);
    case "assistant":
      return entry.calls.reduce(
        (sum, call) => sum + PER_CALL + tokensOf(call.name) + tokensOf(call.arguments),
        tokensOf(entry.text) + reasoningTokens(entry.vendor?.payload ?? null),
      );
    case "result":
      return PER_CALL + tokensOf(entry.content);
    default:
      return entry satisfies never;
  }
}

function toolTokens(tool: ToolSpec): number {
  const before = known.tools.get(tool);
  if (before !== undefined) return before;
  const tokens = PER_TOOL + tokensOf(tool.name) + tokensOf(tool.description) + tokensOf(JSON.stringify(tool.parameters));
  known.tools.set(tool, tokens);
  return tokens;
}

/** What a vendor's own form of a turn has beyond the neutral one and sends back: its reasoning, as far as it is text. Signatures are not billed. */
function reasoningTokens(payload: Json): number {
  if (Array.isArray(payload)) return payload.reduce<number>((sum, part) => sum + reasoningTokens(part), 0);
  if (!isJsonObject(payload)) return 0;
  return Object.entries(payload).reduce(
    (sum, [name, value]) => sum + (typeof value === "string" ? (REASONING.has(name) ? tokensOf(value) : 0) : reasoningTokens(value)),
    0,
  );
}

const REASONING: ReadonlySet<string> = new Set(["thinking", "reasoning", "reasoning_content", "reasoningText"]);

function tokensOf(text: string): number {
  return text === "" ? 0 : textTokens(text, tokenizer().count);
}
