import { isJsonObject, type Json, type TranscriptEntry } from "@toolbus/contracts";
import type { ToolSpec } from "../schema/tool-spec.ts";
import { type TokenFamily, tokenFactors } from "./token-family.ts";
import type { ModelProvider } from "../model-provider.ts";
import { mostTextTokens, textTokens } from "./text-tokens.ts";
import { type CountTokens, tokenizer } from "./tokenizer.ts";

/**
 * Returns about how many tokens a prompt needs with models of this family, for an adapter's `estimateTokens`. More entries, or more text at the end
 * of an entry, never lower the estimate. Entries never change, so each is counted only once, and a growing transcript costs only its new entries.
 *
 * The estimate is more exact after `loadTokenizer`. Adapters need not await this function, because the code that connects them does.
 */
export function estimateTokens(entries: readonly TranscriptEntry[], system: string, family: TokenFamily): number {
  const { generation } = tokenizer();
  if (known.generation !== generation) known = { generation, entries: new WeakMap(), tools: new WeakMap() };
  const tokens = entries.reduce((sum, entry) => sum + entryTokens(entry), tokensOf(system));
  return Math.ceil(tokens * tokenFactors[family]);
}

/** Returns the limits and estimates of a provider whose models are of this family. */
export function tokenEstimates(family: TokenFamily): Required<Pick<ModelProvider, "estimateTokens" | "mostTokens">> {
  return {
    estimateTokens: (entries, system) => estimateTokens(entries, system, family),
    mostTokens: (entry) => mostTokens(entry, family),
  };
}

/** Returns a number that the estimate for this entry alone never exceeds. It reads the lengths of texts, and each entry only once. */
export function mostTokens(entry: TranscriptEntry, family: TokenFamily): number {
  let most = limits.get(entry);
  if (most === undefined) limits.set(entry, (most = PER_ENTRY + contentTokens(entry, mostTextTokens)));
  return Math.ceil(most * tokenFactors[family]);
}

/**
 * Returns about how many tokens the tools of a request need for their names, descriptions and schemas. It assumes the family that needs the most
 * tokens for a text, because callers need an upper limit without the model's family. It counts each spec only once.
 */
export function estimateToolTokens(tools: readonly ToolSpec[]): number {
  const { generation } = tokenizer();
  if (known.generation !== generation) known = { generation, entries: new WeakMap(), tools: new WeakMap() };
  return Math.ceil(tools.reduce((sum, tool) => sum + toolTokens(tool), 0) * MOST_TOKENS);
}

const MOST_TOKENS = Math.max(...Object.values(tokenFactors));

// Vendors mark roles, parts and ids with additional tokens. OpenAI's cookbook names three to four per message and about twelve per tool.
const PER_ENTRY = 6;
const PER_CALL = 8;
const PER_TOOL = 12;

let known = { generation: -1, entries: new WeakMap<TranscriptEntry, number>(), tools: new WeakMap<ToolSpec, number>() };

const limits = new WeakMap<TranscriptEntry, number>();

function entryTokens(entry: TranscriptEntry): number {
  const before = known.entries.get(entry);
  if (before !== undefined) return before;
  const tokens = PER_ENTRY + contentTokens(entry, tokensOf);
  known.entries.set(entry, tokens);
  return tokens;
}

/** Returns the tokens of an entry's texts and calls, each text by the given count. */
function contentTokens(entry: TranscriptEntry, count: CountTokens): number {
  switch (entry.type) {
    case "user":
      return count(entry.text);
    case "assistant":
      return entry.calls.reduce(
        (sum, call) => sum + PER_CALL + count(call.name) + count(call.arguments),
        count(entry.text) + reasoningTokens(entry.vendor?.payload ?? null, count),
      );
    case "result":
      return PER_CALL + count(entry.content);
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

/** Returns the additional tokens of a turn in the vendor's own form, which are those of its reasoning texts. Signatures are not billed. */
function reasoningTokens(payload: Json, count: CountTokens): number {
  if (Array.isArray(payload)) return payload.reduce<number>((sum, part) => sum + reasoningTokens(part, count), 0);
  if (!isJsonObject(payload)) return 0;
  return Object.entries(payload).reduce(
    (sum, [name, value]) => sum + (typeof value === "string" ? (REASONING.has(name) ? count(value) : 0) : reasoningTokens(value, count)),
    0,
  );
}

const REASONING: ReadonlySet<string> = new Set(["thinking", "reasoning", "reasoning_content", "reasoningText"]);

function tokensOf(text: string): number {
  return text === "" ? 0 : textTokens(text, tokenizer().count);
}
