import { type Call, keys, type WorkingResult } from "@toolbus/contracts";
import { reportAfterRound } from "../investigation/report.ts";
import { indexKeyOf } from "../memory/working-keys.ts";
import { wakeMessage } from "../outgoing/messages.ts";
import type { Draft } from "./draft.ts";
import { resultEntry } from "./resolved-call.ts";
import { fittedReport } from "./run-size.ts";

/** When every call of the round has its result: the results go to the transcript in index order and the model is due. */
export function finishRound(draft: Draft): void {
  // Ending the last call may already have ended the round, through a write that lapsed.
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
  draft.send(wakeMessage(draft.run, draft.rules, draft.now, `${draft.run.round}.${draft.run.epoch}`));
}

/** If the model gets an index of a result, the result goes into working memory. */
function rememberResult(draft: Draft, call: Call): void {
  const { callId, toolName: tool, result, shown } = call;
  if (!shown?.index || !result?.contentRef) return;
  const value: WorkingResult = { callId, tool, content: result.contentRef, index: shown.index, at: draft.now };
  draft.remember(keys.working(call.conversationId, indexKeyOf(call)), value);
}
