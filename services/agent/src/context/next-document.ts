import type { ContextDocument, ContextStrategy, ContextSummary, PrunedContext } from "@toolbus/contracts";
import type { ContextInput } from "./context-plan.ts";
import type { SelectedWindow } from "./selection.ts";
import { firstSequence, type Unit } from "./units.ts";

export interface NextWindow {
  readonly next: SelectedWindow;
  readonly summary: ContextSummary | null;
  readonly strategy: ContextStrategy;
}

/**
 * Returns the context document for this window. The window was selected from these units. `left` includes the entries that earlier windows already
 * left out.
 */
export function nextDocument(
  { window, run, now }: ContextInput,
  units: readonly Unit[],
  { next, summary, strategy }: NextWindow,
): ContextDocument {
  const { from, anchor, kept, entries } = next;
  const stays = new Set(entries.map(({ sequence }) => sequence));
  let tokens = (window.document?.left.tokens ?? 0) + Math.ceil(window.unread.chars / 4);
  for (const unit of units) if (!stays.has(firstSequence(unit))) tokens += unit.tokens;
  return {
    conversationId: run.conversationId,
    from,
    anchor,
    kept: [...kept],
    summary,
    strategy,
    left: { entries: from - 1 - kept.length, tokens },
    writtenAt: now,
  };
}

/** Returns the part of a turn's event that describes this document's window. */
export function prunedOf({ strategy, left, summary }: ContextDocument): PrunedContext {
  return { strategy, entries: left.entries, tokens: left.tokens, ...(summary ? { summary: true } : {}) };
}
