import type { Call, ToolResult } from "@toolbus/contracts";
import { refusedCall } from "./call-rights.ts";
import { dispatch } from "./dispatch-call.ts";
import type { Draft } from "./draft.ts";
import { requestGrant } from "./request-grant.ts";
import { lapsed, mayBeginUntil, waitForLedger } from "./sent-write.ts";

/** The agent does not send a grant that expires within this time. It asks for a new one. */
export const GRANT_MARGIN_MS = 60_000;

/** A write that must not be sent, and the result that ends it. */
export interface EndedWrite {
  readonly call: Call;
  readonly result: ToolResult;
}

/**
 * Sends the next write. No other function sends a write for the first time. `redispatch` repeats writes that were sent. Writes run one after another,
 * after the reads. So this function sends the first open write if it has its grant and no call before it is open. If that write must end instead, the
 * function returns it, and the caller resolves it. Returns null otherwise.
 */
export function sendNextWrite(draft: Draft): EndedWrite | null {
  if (draft.run.cancel) return null;
  const open = draft.open;
  if (open.some((call) => call.kind !== "write")) return null;
  const next = open[0];
  if (next?.state !== "granted") return null;
  const { now } = draft;
  const refused = next.dispatch > 0 ? null : refusedCall(draft.run, next);
  if (refused) return { call: next, result: refused };
  if ((next.grantExpiresAt ?? 0) > now + GRANT_MARGIN_MS || next.grantExpiresAt === undefined) dispatch(draft, next);
  else if ((next.executeBy ?? 0) > now) requestGrant(draft, next);
  else if (mayBeginUntil(next) >= now) waitForLedger(draft, next);
  else return { call: next, result: lapsed() };
  return null;
}
