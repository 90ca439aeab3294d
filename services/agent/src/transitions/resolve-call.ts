import { type Call, failedResult, type ToolResult } from "@toolbus/contracts";
import type { Draft } from "./draft.ts";
import { endCall } from "./end-call.ts";
import { finishRound } from "./finish-round.ts";
import { sendNextWrite } from "./next-write.ts";

/** Ends one call within a transition, and handles the consequences: skipped writes, the next write, the end of the round. */
export function resolveCall(draft: Draft, call: Call, result: ToolResult): void {
  endCall(draft, call, result);
  if (call.kind === "write" && stopsWrites(result) && draft.profile?.continueAfterFailedWrite !== true) {
    for (const waiting of draft.open) {
      // A write before this one may still wait for its own decision. A write that was sent ends with its answer. So neither is skipped.
      if (waiting.kind !== "write" || waiting.index < call.index || waiting.dispatch > 0) continue;
      endCall(
        draft,
        waiting,
        failedResult("skipped", `Not run, because the write before it (${call.toolName}) ended as ${result.status}.`),
      );
    }
  }
  continueWrites(draft);
  finishRound(draft);
}

/** Sends the next write if it may be sent now. Ends that write if the requester has lost the right to it, or if its approval was not used in time. */
export function continueWrites(draft: Draft): void {
  const ended = sendNextWrite(draft);
  if (ended) resolveCall(draft, ended.call, ended.result);
}

const stopsWrites = ({ status }: ToolResult): boolean =>
  status === "denied" || status === "outcome_unknown" || status === "cancelled" || status === "not_executed";
