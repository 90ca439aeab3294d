import { type ApprovalToDecide, cardOf } from "@toolbus/contracts";
import { readApprovalToDecide } from "../http/answers.ts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { framedCard } from "./approval-card.ts";
import { findApproval } from "./find-approval.ts";
import { ticketNeeded } from "./ticket-needed.ts";

/** Shows one approval: what the call does, for whom, and the approval's state. It never prints the token that allows a decision. */
export async function showApproval(context: Context, typed: string | undefined): Promise<ExitCode> {
  const { service, id } = await findApproval(context, typed, ["all"]);
  const approval = readApprovalToDecide(await service.get(`/v1/approvals/${encodeURIComponent(id)}`));
  const { output } = context;
  const { decisionToken: _, ...shown } = approval;
  if (output.json) output.document(shown);
  else output.lines(approvalLines(context, safeValue(approval)));
  return EXIT.ok;
}

/** Returns the card and the decisions as text. */
export function approvalLines({ output, around }: Context, approval: ApprovalToDecide): string[] {
  const { status, decisions } = cardOf(approval, around.now());
  const card = framedCard(approval, around.now(), WIDTH, (line) => output.paint("yellow", line));
  const below = [
    `status     ${status}`,
    ...decisions.map(({ label, text }) => `decision   ${label}${text === "" ? "" : `: ${text}`}`),
    ...ticketLines(approval),
    ...(approval.mayNotBecause === undefined ? [] : [`Not to be decided with this key. ${approval.mayNotBecause}`]),
  ];
  return [...card, ...below.flatMap((line) => wrapped(line, WIDTH))];
}

/** Says before somebody decides that an approval without a ticket would be refused. */
function ticketLines(approval: ApprovalToDecide): string[] {
  const needed = approval.status === "pending" ? ticketNeeded(approval, { isEdited: false }) : null;
  return needed === null ? [] : [`ticket     ${needed}: name it with --ticket`];
}
