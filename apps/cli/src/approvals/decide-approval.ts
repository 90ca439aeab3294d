import { type ApprovalToDecide, type ApprovalView, type ArgumentChange, cardTitle, counted, type DecisionKind } from "@toolbus/contracts";
import { readApproval, readApprovalToDecide } from "../http/answers.ts";
import { keyboard } from "../terminal/keyboard.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { changeLines, editedArguments } from "./edited-arguments.ts";
import { findApproval } from "./find-approval.ts";
import { approvalLines } from "./show-approval.ts";
import { ticketNeeded } from "./ticket-needed.ts";

export interface DecideOptions {
  readonly comment?: string;
  readonly ticket?: string;
  readonly yes?: boolean;
  /** A JSON object with the arguments that change. Only the decision `approve` may have this option. */
  readonly edit?: string;
}

const DONE = { approve: "Approved", deny: "Denied", revise: "Sent back" } as const;

/** Decides one approval as its approver: shows the card, asks, and sends the decision with the single-use token from the card. */
export async function decideApproval(
  context: Context,
  decision: DecisionKind,
  typed: string | undefined,
  options: DecideOptions,
): Promise<ExitCode> {
  const { output } = context;
  const { service, id } = await findApproval(context, typed, ["pending", "all"]);
  const path = `/v1/approvals/${encodeURIComponent(id)}`;
  const approval = readApprovalToDecide(await service.get(path));
  const token = rightToDecide(approval);
  if (decision === "approve" && approval.planning && options.edit === undefined)
    throw new Failure(EXIT.failed, "Its worker has not yet said what this will change, so it cannot be approved. Try again in a moment.");
  const edit = options.edit === undefined ? null : editedArguments(approval, options.edit);
  const changes = safeValue(edit?.changes ?? []);
  const need =
    decision !== "approve" || options.ticket !== undefined ? null : ticketNeeded(safeValue(approval), { isEdited: edit !== null });
  const noTicket = need === null ? null : new Failure(EXIT.usage, `${need[0]?.toUpperCase()}${need.slice(1)}: name it with --ticket.`);
  if (noTicket !== null && (options.yes || !hasTerminal(context))) throw noTicket;
  const { comment, ticket } = options.yes
    ? options
    : await confirmed(context, decision, safeValue(approval), { ...options, changes, need });
  if (noTicket !== null && ticket === undefined) throw noTicket;
  if (decision === "revise" && comment === undefined) {
    throw new Failure(EXIT.usage, "Sending it back needs a comment: say with --comment what should change.");
  }
  const body = {
    decision,
    token,
    ...(comment === undefined ? {} : { comment }),
    ...(ticket === undefined ? {} : { ticket }),
    ...(edit === null ? {} : { arguments: edit.arguments }),
    // The hash ties the decision to this card. If another approver has changed the arguments, approvals refuses the decision.
    argumentsHash: approval.argumentsHash,
    ...(approval.plan === undefined ? {} : { planHash: approval.plan.hash }),
  };
  const decided = readApproval(await service.post(`${path}/decision`, body));
  if (output.json) output.document(decided);
  else output.lines([doneLine(decision, safeValue(decided)), ...changeLines(changes).map((line) => `  ${line}`)]);
  return EXIT.ok;
}

function rightToDecide({ id, status, decisionToken, mayNotBecause }: ApprovalToDecide): string {
  if (decisionToken !== undefined) return decisionToken;
  if (status !== "pending") {
    throw new Failure(EXIT.failed, `It is already decided: ${status.replaceAll("_", " ")}; "${SELF} approvals show ${id}" says by whom.`);
  }
  throw new Failure(EXIT.notAllowed, `This key may not decide ${id}${mayNotBecause === undefined ? "" : `: ${mayNotBecause}`}`);
}

/**
 * Shows the card, asks the person for a missing comment or ticket and for a confirmation, and returns the comment and the ticket. Throws a Failure if
 * the person says no, or if there is no terminal. `need` says why the decision needs a ticket.
 */
async function confirmed(
  context: Context,
  decision: DecisionKind,
  approval: ApprovalToDecide,
  {
    comment,
    ticket,
    changes,
    need,
  }: Pick<DecideOptions, "comment" | "ticket"> & { readonly changes: readonly ArgumentChange[]; readonly need: string | null },
): Promise<Pick<DecideOptions, "comment" | "ticket">> {
  const { around, signal } = context;
  const { stdin, stderr, interrupts } = around;
  if (!hasTerminal(context)) {
    throw new Failure(
      EXIT.usage,
      `There is no terminal to ask at: read the card with "${SELF} approvals show ${approval.id}", then repeat this with --yes.`,
    );
  }
  stderr.write(
    [...approvalLines(context, approval), ...changeLines(changes).map((line) => `change     ${line}`)].map((line) => `${line}\n`).join(""),
  );
  const keys = keyboard({ input: stdin, output: stderr, onInterrupt: interrupts.press });
  const words = comment ?? (decision === "revise" ? await keys.ask("what should change? ", signal) : null);
  const number = need === null ? ticket : (await keys.ask(`ticket (${need}): `, signal))?.trim() || undefined;
  const answer = await keys.ask(`${decision} it${changes.length > 0 ? " with these changes" : ""}? y/N `, signal);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new Failure(EXIT.failed, "Nothing was decided; the approval still waits.");
  const said = words?.trim() || undefined;
  return { ...(said === undefined ? {} : { comment: said }), ...(number === undefined ? {} : { ticket: number }) };
}

function hasTerminal({ around: { stdin, stderr } }: Context): boolean {
  return Boolean(stdin.isTTY && stderr.isTTY);
}

function doneLine(decision: DecisionKind, view: ApprovalView): string {
  const { status, approversNeeded, decisions, planning } = view;
  const effect = cardTitle(view).text;
  if (decision === "approve" && status === "pending" && planning) return `Changed: ${effect} Approve it when its worker has planned it.`;
  const approved = decisions.filter((one) => one.decision === "approve" && !one.isVoid).length;
  const more =
    decision === "approve" && status === "pending"
      ? ` ${approved} of ${counted(approversNeeded, "approver")}: it takes ${approversNeeded - approved} more.`
      : "";
  return `${DONE[decision]}: ${effect}${more}`;
}
