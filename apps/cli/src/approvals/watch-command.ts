import { terminalWidth } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import type { ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { approvalEntry } from "./approval-entry.ts";
import { type ApprovalEvent, watchApprovals } from "./watch-approvals.ts";

export interface WatchCommandOptions {
  readonly all?: true;
  readonly tool?: string;
  readonly requester?: string;
}

/** Shows new approvals and their ends as they happen, until the user leaves. */
export async function watchCommand(context: Context, { all, tool, requester }: WatchCommandOptions): Promise<ExitCode> {
  const { output, signal } = context;
  const service = await context.approvals();
  return watchApprovals(service, {
    all,
    tool,
    requester,
    signal,
    onBegin: () => output.note(`New approvals and their ends appear here. "${SELF} approvals list" shows what waits already.`),
    onEvent: (event) => (output.json ? output.record(event) : output.lines(eventLines(event, terminalWidth(output.out)))),
    onLost: () => output.note("The approvals service does not answer. Everything that happens meanwhile appears when it answers again."),
    onBack: () => output.note("The approvals service answers again."),
  });
}

/** Returns an event as text: when it happened, and the approval as in a list. */
export function eventLines({ event, at, approval }: ApprovalEvent, width: number): string[] {
  const time = `${new Date(at).toISOString().slice(0, 19)}Z`;
  return [`${time}  ${event === "approval.held" ? "waits" : "ended"}`, ...approvalEntry(safeValue(approval), at, width), ""];
}
