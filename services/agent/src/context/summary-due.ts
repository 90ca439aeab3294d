import type { ContextDocument, ContextSummary, TranscriptEntry } from "@toolbus/contracts";
import type { ContextBudget } from "./budget.ts";
import type { ContextInput, SummaryDue } from "./context-plan.ts";
import { nextDocument } from "./next-document.ts";
import { type Room, withRequired } from "./room.ts";
import { begunWithMessage, selectedWindow } from "./selection.ts";
import { summaryEntry, summaryOf, summaryRequest } from "./summary.ts";
import { truncation } from "./truncation.ts";
import type { Unit } from "./units.ts";

export interface Summarised {
  readonly units: readonly Unit[];
  readonly required: readonly boolean[];
  /** The summary of earlier prunings. */
  readonly before: ContextSummary | null;
  readonly tokensOf: (entry: TranscriptEntry) => number;
}

/** Returns the request for a summary of the oldest units, such that the summary and the rest fit. Returns null if nothing would be left out. */
export function summaryDue(input: ContextInput, { units, required, before, tokensOf }: Summarised): SummaryDue | null {
  const { budget, run, provider } = input;
  const allowance = summaryAllowance(budget);
  const roomIn = (limit: Room): Room => {
    const { tokens, messages } = withRequired(limit, units, required);
    return { tokens: tokens - allowance, messages: messages - 1 };
  };
  const selected = truncation(units, required, roomIn(budget.target)) ?? truncation(units, required, roomIn(budget.history));
  const dropped = units.filter((_, n) => !selected?.[n]);
  if (!selected || dropped.length === 0) return null;
  const next = selectedWindow(units, selected);
  const withoutSummary = (): ContextDocument => {
    // The earlier summary covers only the oldest part.
    const summary = before && tokensOf(summaryEntry(before)) <= allowance ? before : null;
    const room = withRequired(budget.history, units, required);
    const begun = summary ? selected : begunWithMessage(units, selected, { required, room });
    return nextDocument(input, units, { next: selectedWindow(units, begun), summary, strategy: "truncation" });
  };
  return {
    kind: "summarise",
    request: summaryRequest({
      units: dropped,
      before,
      run: { runId: run.runId, profile: run.profile, input: run.input },
      maxTokens: budget.response,
      fitting: (entry) => tokensOf(entry) <= budget.history.tokens,
    }),
    withoutSummary,
    apply(reply) {
      const fitting = (text: string): boolean => tokensOf(summaryEntry({ text, model: reply.model })) <= allowance;
      const summary = summaryOf(reply, { provider: provider.name, upTo: next.from - 1, fitting });
      return summary ? nextDocument(input, units, { next, summary, strategy: "sliding" }) : withoutSummary();
    },
  };
}

/** Returns the largest size of a summary in tokens: a tenth of the room, but at least 128 and at most 2,048. */
function summaryAllowance({ history }: ContextBudget): number {
  return Math.max(128, Math.min(2048, Math.floor(history.tokens / 10)));
}
