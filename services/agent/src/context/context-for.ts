import type { ContextStrategy, ContextSummary, TranscriptEntry } from "@toolbus/contracts";
import type { ContextBudget } from "./budget.ts";
import type { ContextInput, ContextPlan, FittingContext, WindowUse } from "./context-plan.ts";
import { importance } from "./importance.ts";
import { nextDocument, prunedOf } from "./next-document.ts";
import { fits, type Room, sizeOf, withRequired } from "./room.ts";
import { begunWithMessage, selectedWindow, withinDocument } from "./selection.ts";
import { summaryDue } from "./summary-due.ts";
import { summaryEntry } from "./summary.ts";
import { trimmedResults } from "./trimmed-results.ts";
import { truncation } from "./truncation.ts";
import { requiredUnits, type Unit, unitsOf } from "./units.ts";

/**
 * Selects the part of a conversation that the model sees in its next turn. The function is pure. Calls are never separated from their results, and
 * the order is kept. The person's message and the seed turn of the current run are always included. The result fits the budget, and the window never
 * moves back. The cost depends on the size of the window, not on the length of the conversation.
 */
export function contextFor(input: ContextInput): ContextPlan {
  const { window, budget, provider } = input;
  if (window.entries.length === 0) return { kind: "too_long", message: "The conversation has no message to answer." };
  const tokensOf = (entry: TranscriptEntry): number => Math.ceil(provider.estimateTokens([entry], "") * budget.ratio);
  const entries = shown(
    window.entries.map(({ entry }) => entry),
    window.document?.summary ?? null,
  );
  if (fitsUncounted(entries, input))
    return unchanged(input, entries, () => entries.reduce((sum, entry) => sum + tokensOf(entry), 0), false);
  const units = unitsOf(window.entries, tokensOf);
  const parts: Parts = { units, summary: window.document?.summary ?? null, tokensOf };
  const size = sizeOf(
    units,
    units.map(() => true),
  );
  if (window.unread.entries > 0 || !fits(size, beside(budget.history, parts))) return pruned(input, parts);
  const tokens = size.tokens + summaryTokens(parts);
  return unchanged(input, entries, () => tokens, true);
}

/**
 * Returns true if the entries fit even with the most tokens that each may have. Most conversations are so far below their model's window that their
 * tokens need not be counted.
 */
function fitsUncounted(entries: readonly TranscriptEntry[], { window, budget: { history, ratio }, provider }: ContextInput): boolean {
  if (provider.mostTokens === undefined || window.unread.entries > 0 || entries.length > history.messages) return false;
  let most = 0;
  for (const entry of entries) {
    most += Math.ceil(provider.mostTokens(entry) * ratio);
    if (most > history.tokens) return false;
  }
  return true;
}

interface Parts {
  readonly units: readonly Unit[];
  /** The summary that precedes the units. */
  readonly summary: ContextSummary | null;
  readonly tokensOf: (entry: TranscriptEntry) => number;
}

/**
 * The store keeps a document for 60 days, and a transcript for 30 days after its last entry. A document that is renewed after 15 days therefore
 * always outlives its transcript.
 */
const RENEWED_MS = 15 * 86_400_000;

function unchanged(
  { window: { document }, budget, now }: ContextInput,
  entries: readonly TranscriptEntry[],
  tokens: () => number,
  isCounted: boolean,
): FittingContext {
  return {
    kind: "fits",
    entries,
    use: () => useOf(budget, tokens()),
    isCounted,
    ...(document ? { pruned: prunedOf(document) } : {}),
    ...(document && now - document.writtenAt > RENEWED_MS ? { document: { ...document, writtenAt: now } } : {}),
    moved: false,
  };
}

function pruned(input: ContextInput, parts: Parts): ContextPlan {
  const { budget, run, provider } = input;
  const { units, tokensOf } = parts;
  const required = requiredUnits(units, run.runId);
  // The provider `offline` cannot write a summary.
  if (input.strategy === "sliding" && input.maySummarise && provider.name !== "offline") {
    const due = summaryDue(input, { units, required, before: parts.summary, tokensOf });
    if (due) return due;
  }
  const strategy: ContextStrategy = input.strategy === "sliding" ? "truncation" : input.strategy;
  // The summary of earlier prunings is dropped if there is no room for it.
  for (const summary of parts.summary ? [parts.summary, null] : [null]) {
    const selected = selection(input, { ...parts, summary }, required);
    if (selected) return fitting(input, { ...parts, summary }, { selected, strategy, cut: 0, whole: units });
  }
  const { tokens } = sizeOf(units, required);
  const trimmed = trimmedResults(units, tokensOf, (short) => sizeOf(short, required).tokens <= budget.history.tokens);
  if (!trimmed) return { kind: "too_long", message: tooLong(tokens, budget) };
  const cut = tokens - sizeOf(trimmed, required).tokens;
  return fitting(input, { units: trimmed, summary: null, tokensOf }, { selected: required, strategy, cut, whole: units });
}

/** Returns the units that the strategy selects to fit the target, or else the limit. Returns null if the required units do not fit. */
function selection(input: ContextInput, parts: Parts, required: readonly boolean[]): readonly boolean[] | null {
  const { budget, strategy, run, isWrite } = input;
  const { units, summary } = parts;
  for (const limit of [budget.target, budget.history]) {
    const room = beside(withRequired(limit, units, required), parts);
    const wanted =
      strategy === "importance" ? importance(units, required, room, { runId: run.runId, isWrite }) : truncation(units, required, room);
    if (!wanted) continue;
    const selected = withinDocument(units, wanted, required);
    return summary ? selected : begunWithMessage(units, selected, { required, room });
  }
  return null;
}

interface Selected {
  readonly selected: readonly boolean[];
  readonly strategy: ContextStrategy;
  /** The number of tokens that were cut from results. */
  readonly cut: number;
  /** The units before their results were truncated. */
  readonly whole: readonly Unit[];
}

function fitting(input: ContextInput, parts: Parts, { selected, strategy, cut, whole }: Selected): FittingContext {
  const before = input.window.document;
  const next = selectedWindow(parts.units, selected);
  const document = nextDocument(input, whole, { next, summary: parts.summary, strategy });
  const stands = document.from === (before?.from ?? 1) && document.kept.length === (before?.kept.length ?? 0);
  const { tokens, ...left } = prunedOf(document);
  const use = useOf(input.budget, sizeOf(parts.units, selected).tokens + summaryTokens(parts));
  return {
    kind: "fits",
    entries: shown(
      next.entries.map(({ entry }) => entry),
      parts.summary,
    ),
    use: () => use,
    isCounted: true,
    pruned: { ...left, tokens: tokens + cut },
    ...(stands ? {} : { document }),
    moved: !stands || cut > 0,
  };
}

function shown(entries: readonly TranscriptEntry[], summary: ContextSummary | null): readonly TranscriptEntry[] {
  return summary ? [summaryEntry(summary), ...entries] : entries;
}

function summaryTokens({ summary, tokensOf }: Parts): number {
  return summary ? tokensOf(summaryEntry(summary)) : 0;
}

/** Returns the room that is left for the conversation. The summary, which is one more message, takes a part of the room. */
function beside(room: Room, parts: Parts): Room {
  return { tokens: room.tokens - summaryTokens(parts), messages: room.messages - (parts.summary ? 1 : 0) };
}

function useOf({ window, fixed, response, margin }: ContextBudget, history: number): WindowUse {
  const used = fixed + history;
  return { history, used, left: window - response - margin - used };
}

function tooLong(tokens: number, { window, history, response }: ContextBudget): string {
  if (history.tokens <= 0)
    return `The model's window of ${window} tokens has no room for a conversation beside the system prompt, the tools and a reply of ${response} tokens; use a model with a larger window, or give the profile fewer tools or a smaller maxTokens.`;
  return `The message and what its run cannot do without take about ${tokens} tokens, and there is room for ${history.tokens}; send less at a time, or use a model with a larger window.`;
}
