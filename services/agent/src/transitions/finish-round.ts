import { type Call, keys, type WorkingResult } from "@toolbus/contracts";
import { reportAfterRound } from "../investigation/report.ts";
import { indexKeyOf } from "../memory/working-keys.ts";
import type { Draft } from "./draft.ts";
import { resultEntry } from "./resolved-call.ts";
import { fittedReport } from "./run-size.ts";

/** Finishes the round if every call has its result. The results are added to the transcript in index order, and the run is ready for the model. */
export function finishRound(draft: Draft): void {
  // The end of the last call may already have finished the round, if a write of the round could no longer be sent in time.
  if (draft.run.pending > 0 || draft.run.status !== "waiting") return;
  const calls = draft.inOrder;
  for (const call of calls) {
    draft.transcript(resultEntry(call));
    rememberResult(draft, call);
  }
  const rule = draft.profile?.report;
  draft.setRun({
    status: "ready",
    lease: null,
    activeMs: draft.activeMs,
    fruitless: calls.some((call) => call.result?.status === "ok") ? 0 : draft.run.fruitless + 1,
    report: rule && draft.run.report ? fittedReport(reportAfterRound(draft.run.report, rule, calls)) : draft.run.report,
  });
  draft.runTimer(draft.rules.config.POLL_MS);
  draft.wake(draft.run, `${draft.run.round}.${draft.run.epoch}`);
}

/** Puts a result into working memory if the model gets an index of it. */
function rememberResult(draft: Draft, call: Call): void {
  const { callId, toolName: tool, result, shown } = call;
  if (!shown?.index || !result?.contentRef) return;
  const value: WorkingResult = { callId, tool, content: result.contentRef, index: shown.index, at: draft.now };
  draft.remember(keys.working(call.conversationId, indexKeyOf(call)), value);
}
